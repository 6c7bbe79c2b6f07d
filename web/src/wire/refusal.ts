import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { Code as ConnectCode, ConnectError } from "@connectrpc/connect";
import { Refusal_Reason, RefusalSchema } from "../gen/hush/v1/refusal_pb";
import { type Code, type Reason, Refusal } from "../refusal";

/** refusalFrom converts what a Connect client throws into a Refusal. */
export function refusalFrom(thrown: unknown): Refusal {
  const error = ConnectError.from(thrown);
  if (error.cause instanceof TypeError) {
    return new Refusal("", { code: "offline" });
  }
  const detail = error.findDetails(RefusalSchema)[0];
  return new Refusal(error.rawMessage, {
    code: codeOf(error.code),
    reason: detail && reasonOf(detail.reason),
    field: detail?.field,
    limit: Number(detail?.limit ?? 0),
    triesLeft: detail?.triesLeft,
    passphraseMissing: detail?.passphraseMissing,
    forGood: detail?.forGood,
    retryAfter: retryAfter(error),
  });
}

function codeOf(code: ConnectCode): Code {
  const name = ConnectCode[code] ?? "Unknown";
  return name.replace(/(?!^)([A-Z])/g, "_$1").toLowerCase() as Code;
}

function reasonOf(reason: Refusal_Reason): Reason {
  return (Refusal_Reason[reason] ?? "UNSPECIFIED").toLowerCase() as Reason;
}

/**
 * retryAfter returns the delay in google.rpc.RetryInfo { Duration retry_delay = 1 },
 * in whole seconds, rounded up, or zero if there is none.
 */
function retryAfter(error: ConnectError): number {
  for (const detail of error.details) {
    if (!("type" in detail) || detail.type !== "google.rpc.RetryInfo" || !("value" in detail)) {
      continue;
    }
    const reader = new BinaryReader(detail.value as Uint8Array);
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === 1) {
        const delay = fromBinary(DurationSchema, reader.bytes());
        return Number(delay.seconds) + (delay.nanos > 0 ? 1 : 0);
      }
      reader.skip(type);
    }
  }
  return 0;
}

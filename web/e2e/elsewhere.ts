/*
 * The script of a page on another origin, which calls the service as a team's own page
 * does: with connect-es, and a token in Authorization. elsewhere.spec.ts builds it.
 */
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { AccountService } from "../src/gen/hush/v1/account_service_pb";
import { MetadataService } from "../src/gen/hush/v1/metadata_service_pb";
import { Refusal_Reason, RefusalSchema } from "../src/gen/hush/v1/refusal_pb";
import { State } from "../src/gen/hush/v1/secret_pb";
import { SecretService } from "../src/gen/hush/v1/secret_service_pb";

/** Line is how a page calls: whom, in which protocol, with which token, and whether with cookies. */
export interface Line {
  url: string;
  protocol: "connect" | "grpc-web";
  token?: string;
  credentials?: RequestCredentials;
}

/** Failed is what a page learns of a call that failed. */
export interface Failed {
  code: string;
  message: string;
  reason?: string | undefined;
  triesLeft?: number | undefined;
}

function transport({ url, protocol, token, credentials }: Line): Transport {
  const make = protocol === "connect" ? createConnectTransport : createGrpcWebTransport;
  return make({
    baseUrl: url,
    fetch: (input, init) => fetch(input, credentials ? { ...init, credentials } : init),
    interceptors: [
      (next) => (request) => {
        if (token) {
          request.header.set("Authorization", `Bearer ${token}`);
        }
        return next(request);
      },
    ],
  });
}

/** told returns what a call gives, or what the page learns of its failure. */
async function told<A>(call: Promise<A>): Promise<A | Failed> {
  try {
    return await call;
  } catch (thrown) {
    const error = ConnectError.from(thrown);
    const detail = error.findDetails(RefusalSchema)[0];
    return {
      code: Code[error.code] ?? "",
      message: error.rawMessage,
      reason: detail && Refusal_Reason[detail.reason],
      triesLeft: detail?.triesLeft,
    };
  }
}

const calls = {
  /** conceal shares a secret and returns its keys. */
  conceal: (line: Line, draft: { secret: string; passphrase?: string; memo?: string }) =>
    told(
      createClient(SecretService, transport(line))
        .concealSecret(draft)
        .then(({ secret, metadata }) => ({ key: secret?.secretKey ?? "", receipt: metadata?.metadataKey ?? "" })),
    ),
  reveal: (line: Line, secretKey: string, passphrase = "") =>
    told(
      createClient(SecretService, transport(line))
        .revealSecret({ secretKey, passphrase })
        .then(({ value }) => value),
    ),
  /** account returns the address of the token's account. */
  account: (line: Line) =>
    told(
      createClient(AccountService, transport(line))
        .getAccount({})
        .then(({ account }) => account?.address ?? ""),
    ),
  /** memos returns the notes of the account's latest receipts. */
  memos: (line: Line) =>
    told(
      createClient(MetadataService, transport(line))
        .listMetadata({ pageSize: 500 })
        .then(({ metadata }) => metadata.map(({ memo }) => memo)),
    ),
  /** watch follows a receipt until its stream ends, and adds to seen what it said. */
  watch: (line: Line, metadataKey: string) =>
    told(
      (async () => {
        calls.seen = [];
        for await (const { metadata } of createClient(MetadataService, transport(line)).watchMetadata({
          metadataKey,
        })) {
          if (metadata) {
            calls.seen.push(State[metadata.state] ?? "");
          }
        }
        return calls.seen;
      })(),
    ),
  seen: [] as string[],
};

declare global {
  var hushCalls: typeof calls;
}

globalThis.hushCalls = calls;

import { type DescService, getOption } from "@bufbuild/protobuf";
import { type Client, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { forgeable } from "../gen/hush/v1/policy_pb";
import { locale } from "../i18n";
import { Refusal } from "../refusal";
import { shrimp } from "../shrimp";
import { watched } from "./flow";
import { refusalFrom } from "./refusal";
import { isWhole } from "./whole";

/**
 * introduce sends the language, and the session's token against forged requests
 * with the calls that need it. Those calls wait for the token while the page
 * starts.
 */
const introduce: Interceptor = (next) => async (request) => {
  request.header.set("Accept-Language", locale.peek().replace("_", "-"));
  if (!getOption(request.method, forgeable)) {
    const token = await shrimp();
    if (token) {
      request.header.set("O-Shrimp", token);
    }
  }
  return next(request);
};

/** client returns a client whose methods throw only Refusal. It speaks JSON unless its messages are large. */
export function client<S extends DescService>(service: S, { binary = false } = {}): Client<S> {
  const transport = createConnectTransport({
    baseUrl: location.origin,
    interceptors: [introduce],
    fetch: watched,
    useBinaryFormat: binary,
  });
  const raw = createClient(service, transport) as Record<string, Method>;
  const guarded: Record<string, Method> = {};
  for (const method of service.methods) {
    const call = raw[method.localName];
    if (!call) {
      continue;
    }
    guarded[method.localName] = method.methodKind === "server_streaming" ? guardStream(call) : guardUnary(call);
  }
  return guarded as Client<S>;
}

type Method = (...args: unknown[]) => unknown;

function guardUnary(call: Method): Method {
  return async (...args) => {
    if (!isWhole(args[0])) {
      throw new Refusal("", { code: "broken_text" });
    }
    try {
      return await call(...args);
    } catch (thrown) {
      throw refusalFrom(thrown);
    }
  };
}

function guardStream(call: Method): Method {
  return async function* (...args) {
    try {
      yield* call(...args) as AsyncIterable<unknown>;
    } catch (thrown) {
      throw refusalFrom(thrown);
    }
  };
}

/* Sends the calls whose flow is watched. A fetch tells nothing of what it sends. */
import { takeFlow } from "../flow";

/** watched is fetch, which tells the flow of a call how far it is. */
export const watched: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  const flow = takeFlow(headers);
  if (!flow) {
    return await fetch(input, init);
  }
  const response = flow.sent
    ? await send(String(input), { ...init, headers }, flow.sent)
    : await fetch(input, { ...init, headers });
  return flow.received ? await receive(response, flow.received) : response;
};

/** receive reads an answer to its end. */
async function receive(response: Response, received: (done: number, total: number) => void): Promise<Response> {
  const reader = response.body?.getReader();
  if (!reader) {
    return response;
  }
  const parts: BlobPart[] = [];
  const total = Number(response.headers.get("hush-content-size") ?? 0);
  // In JSON the answer has the content in base64, which is longer by a third.
  const longer = response.headers.get("content-type")?.startsWith("application/proto") ? 1 : 4 / 3;
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    parts.push(value as Uint8Array<ArrayBuffer>);
    size += value.byteLength;
    received(total > 0 ? Math.min(Math.floor(size / longer), total) : size, total);
  }
  const { status, statusText, headers } = response;
  return new Response(new Blob(parts), { status, statusText, headers });
}

/** send posts a request, and throws as fetch does. */
function send(url: string, init: RequestInit, sent: (done: number, total: number) => void): Promise<Response> {
  const { signal, body } = init;
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    const lost = () => reject(new TypeError("the connection was lost"));
    const abort = () => call.abort();
    const over = () => signal?.removeEventListener("abort", abort);
    call.open(init.method ?? "POST", url);
    call.responseType = "arraybuffer";
    for (const [name, value] of new Headers(init.headers)) {
      call.setRequestHeader(name, value);
    }
    call.upload.onprogress = ({ loaded, total }) => sent(loaded, total);
    call.onload = () => {
      const headers = new Headers();
      for (const line of call
        .getAllResponseHeaders()
        .trim()
        .split(/[\r\n]+/)) {
        const colon = line.indexOf(":");
        if (colon > 0) {
          headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
        }
      }
      // Another address means a redirect, which no call follows.
      if (call.responseURL !== "" && call.responseURL !== new URL(url, location.href).href) {
        lost();
      } else {
        resolve(new Response(call.response, { status: call.status, statusText: call.statusText, headers }));
      }
    };
    call.onerror = lost;
    call.onabort = () => reject(signal?.reason ?? new DOMException("aborted", "AbortError"));
    call.onloadend = over;
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    signal?.addEventListener("abort", abort);
    call.send(body as XMLHttpRequestBodyInit);
  });
}

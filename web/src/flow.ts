/* How far a call is whose request or answer is large. */

/** Flow is told how far a call is. Of either function, the total is 0 where it is not known. */
export interface Flow {
  /** Bytes of the request that have left. */
  sent?: (done: number, total: number) => void;
  /** Bytes of the answer that have arrived. */
  received?: (done: number, total: number) => void;
}

const header = "hush-flow";
const flows = new Map<string, Flow>();
let last = 0;

/** flowing returns the headers that make a call tell flow how far it is. They are never sent. */
export function flowing(flow: Flow): Record<string, string> {
  last += 1;
  flows.set(`${last}`, flow);
  return { [header]: `${last}` };
}

/** takeFlow returns the flow that the headers of a call name, if any, and takes that out of them. */
export function takeFlow(headers: Headers): Flow | undefined {
  const name = headers.get(header) ?? "";
  const flow = flows.get(name);
  flows.delete(name);
  headers.delete(header);
  return flow;
}

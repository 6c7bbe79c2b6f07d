import { RequestState } from "../contract";
import type { Request } from "../gen/hush/v1/request_pb";

/** State names the state of a request. */
export type State = keyof typeof RequestState;

/** stateOf names the state of a request: past for one that this client does not know. */
export function stateOf({ state }: Pick<Request, "state">): State {
  const names = Object.keys(RequestState) as State[];
  return names.find((name) => RequestState[name] === (state as number)) ?? "past";
}

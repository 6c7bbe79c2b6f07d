import { Refusal } from "./refusal";

/** Calls has the methods of a client. Each returns a promise, even that of a stream. */
export type Calls<C> = {
  [M in keyof C]: C[M] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

type Method = (...args: unknown[]) => unknown;

/**
 * onFirstCall returns an object with the methods of the client that load
 * returns. Each call loads the client, which the browser does once, and then
 * calls its method. A client that does not load throws a Refusal: nothing was sent.
 */
export function onFirstCall<C extends object>(load: () => Promise<C>): Calls<C> {
  return new Proxy({} as Calls<C>, {
    get: (_, name) => {
      // With a method then, the object itself would be a promise to await.
      if (name === "then") {
        return undefined;
      }
      return async (...args: unknown[]) => {
        const client = (await needed(load)) as Record<PropertyKey, Method>;
        return (client[name] as Method)(...args);
      };
    },
  });
}

/** needed loads a script that the page needs, or throws a Refusal: nothing was sent. */
export async function needed<M>(load: () => Promise<M>): Promise<M> {
  try {
    return await load();
  } catch {
    throw new Refusal("", { code: "offline", unsent: true });
  }
}

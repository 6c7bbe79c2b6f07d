/** Calls has the methods of a client; each returns a promise, a stream's method too. */
export type Calls<C> = {
  [M in keyof C]: C[M] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

type Method = (...args: unknown[]) => unknown;

/**
 * onFirstCall returns an object with the methods of the client that load
 * returns. Each call loads the client, which the browser does once, and then
 * calls its method.
 */
export function onFirstCall<C extends object>(load: () => Promise<C>): Calls<C> {
  return new Proxy({} as Calls<C>, {
    get: (_, name) => {
      // An object with a method then would count as a promise where it is awaited.
      if (name === "then") {
        return undefined;
      }
      return async (...args: unknown[]) => {
        const client = (await load()) as Record<PropertyKey, Method>;
        return (client[name] as Method)(...args);
      };
    },
  });
}

/** Calls has the methods of a client. Each returns a promise, even that of a stream. */
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
      // With a method then, the object itself would be a promise to await.
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

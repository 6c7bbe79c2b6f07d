/** match returns the parameters of a path if it matches a pattern such as /secret/:key. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const want = pattern.split("/");
  const got = path.replace(/(.)\/+$/, "$1").split("/");
  if (want.length !== got.length) {
    return undefined;
  }
  const params: Record<string, string> = {};
  for (const [i, part] of want.entries()) {
    const value = got[i] ?? "";
    if (part.startsWith(":")) {
      if (!value) {
        return undefined;
      }
      params[part.slice(1)] = decode(value);
    } else if (part !== value) {
      return undefined;
    }
  }
  return params;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

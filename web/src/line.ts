/* What the browser tells about the line. */

/** Line is what it may tell. Not all browsers do. */
interface Line {
  saveData?: boolean;
  effectiveType?: string;
}

/** savesData reports whether the visitor saves data, or the line is slow. */
export function savesData(): boolean {
  const line = (navigator as { connection?: Line }).connection;
  return line?.saveData === true || (line?.effectiveType ?? "4g") !== "4g";
}

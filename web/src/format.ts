import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import { number, region } from "./i18n";

/** isBroken reports whether half of a character is missing. An encoder refuses the text, or replaces the other half without a word. */
export function isBroken(text: string): boolean {
  return /\p{Cs}/u.test(text);
}

/** dateOf returns the date of a timestamp, or undefined for none. */
export function dateOf(time: Timestamp | undefined): Date | undefined {
  return time && new Date(Number(time.seconds) * 1000 + Math.floor(time.nanos / 1e6));
}

/** secondsOf returns the whole seconds of a duration, or zero for none. */
export function secondsOf(duration: Duration | undefined): number {
  return Number(duration?.seconds ?? 0);
}

/** durationOf returns a duration message of whole seconds. */
export function durationOf(seconds: number): { seconds: bigint; nanos: number } {
  return { seconds: BigInt(Math.trunc(seconds)), nanos: 0 };
}

const units = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** duration formats seconds in at most two units, as in 1 day 12 hours. */
export function duration(seconds: number): string {
  const parts: string[] = [];
  let rest = Math.max(0, Math.round(seconds));
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) {
      parts.push(number(count, { style: "unit", unit, unitDisplay: "long" }));
    }
    if (parts.length > 0 && (parts.length === 2 || rest < size / 10)) {
      break;
    }
  }
  return parts.join(" ") || number(0, { style: "unit", unit: "second", unitDisplay: "long" });
}

/** relative formats a date relative to now, as in: in 7 days, 3 minutes ago, now. */
export function relative(date: Date, now = new Date()): string {
  const seconds = (date.getTime() - now.getTime()) / 1000;
  if (Math.abs(seconds) < 5) {
    return new Intl.RelativeTimeFormat(region.value, { numeric: "auto" }).format(0, "second");
  }
  const format = new Intl.RelativeTimeFormat(region.value, { numeric: "always" });
  for (const [unit, size] of units) {
    const count = Math.round(seconds / size);
    if (Math.abs(seconds) >= size * 0.95) {
      return format.format(count, unit);
    }
  }
  return format.format(0, "second");
}

/** inSeconds formats the time that is so many seconds from now, relative to now. */
export function inSeconds(seconds: number): string {
  return relative(new Date(Date.now() + seconds * 1000));
}

/** exact formats a date and time to the minute, or to the second for "medium". */
export function exact(date: Date, timeStyle: "short" | "medium" = "short"): string {
  return new Intl.DateTimeFormat(region.value, { dateStyle: "medium", timeStyle }).format(date);
}

/** size formats a number of bytes as systems show sizes of files, as in 1.5 MB and 102 KB. */
export function size(count: number): string {
  if (count < 1000) {
    return bytes(count);
  }
  const [unit, length] =
    count < 999_500 ? ["kilobyte", 1e3] : count < 999.5e6 ? ["megabyte", 1e6] : (["gigabyte", 1e9] as const);
  const maximumFractionDigits = count / length < 100 ? 1 : 0;
  const text = number(count / length, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits });
  return text.replace("kB", "KB");
}

/** percent formats a part of 1, rounded down. */
export function percent(part: number): string {
  return number(Math.floor(part * 100) / 100, { style: "percent" });
}

/** bytes formats a number of bytes exactly, as in 102,401 bytes. */
export function bytes(count: number): string {
  return number(count, { style: "unit", unit: "byte", unitDisplay: "long" });
}

/** charCount returns the number of characters in a text, as the service counts them. */
export function charCount(text: string): number {
  return [...text].length;
}

/** byteLength returns the length of a text in UTF-8, as it is stored. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

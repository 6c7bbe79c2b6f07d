import type { Kem } from "./kem";
import { hasNative, native } from "./native";

/**
 * loadKem returns the browser's X-Wing, or else the library's, which is loaded only
 * then. It rejects if that fails.
 */
export async function loadKem(): Promise<Kem> {
  return hasNative() ? native : (await import("./library")).library;
}

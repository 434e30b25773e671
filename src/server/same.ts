/** Whether two secrets are the same, in constant time, whatever their lengths. */
import { createHash, timingSafeEqual } from "node:crypto";

export function same(a: string, b: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

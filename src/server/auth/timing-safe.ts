/** Constant-time comparison of secrets, whatever their lengths. */
import { createHash, timingSafeEqual } from "node:crypto";

export function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

/** The same for one secret that is compared often: its hash is computed once. */
export function matcher(secret: string): (given: string) => boolean {
  const wanted = createHash("sha256").update(secret).digest();
  return (given) => timingSafeEqual(createHash("sha256").update(given).digest(), wanted);
}

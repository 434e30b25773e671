/** Redacts known secrets from texts, also from streams. */

export interface Redactor {
  text(text: string): string;
  /** For one text that comes in chunks: a chunk that may be the beginning of a secret is held back until it is clear. */
  pieces(): (piece: string, last?: boolean) => string;
}

/** Shorter ones would match innocent words. */
const shortest = 8;
const instead = "[secret]";

/** `secrets` may grow; all of them are redacted. */
export function createRedactor(secrets: readonly string[]): Redactor {
  let seen = -1;
  let longestFirst: string[] = [];
  /** Longest first: one may begin with another. */
  function all(): readonly string[] {
    if (seen === secrets.length) return longestFirst;
    seen = secrets.length;
    longestFirst = [...new Set(secrets.filter(({ length }) => length >= shortest))].sort((a, b) => b.length - a.length);
    return longestFirst;
  }
  const text = (given: string): string => all().reduce((left, secret) => left.replaceAll(secret, instead), given);
  return {
    text,
    pieces() {
      let held = "";
      return (piece, last = false) => {
        const whole = held + piece;
        const end = last ? whole.length : settled(whole);
        held = whole.slice(end);
        return text(whole.slice(0, end));
      };
    },
  };

  /** Up to where the text is decided: the rest may be the beginning of a secret. */
  function settled(given: string): number {
    const known = all();
    const longest = Math.min(given.length, (known[0]?.length ?? 1) - 1);
    for (let n = longest; n > 0; n--) {
      const end = given.slice(-n);
      if (known.some((secret) => secret.length > n && secret.startsWith(end)))
        return notWithin(given, given.length - n);
    }
    return given.length;
  }

  /** A secret may end with the beginning of another. */
  function notWithin(given: string, at: number): number {
    for (const secret of all()) {
      const start = at > 0 ? given.lastIndexOf(secret, at - 1) : -1;
      if (start >= 0 && start + secret.length > at) return start + secret.length;
    }
    return at;
  }
}

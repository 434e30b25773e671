/**
 * Sanitises untrusted text for display: on the page, in a terminal, in notices and in channels. The one place that defines which characters are
 * invisible and how they are escaped.
 *
 * Always holds: nothing is left out and nothing is truncated. A character that controls a terminal, changes the reading direction (bidi), or is
 * invisible becomes `<U+202E>`; so the result has no control character but tab and line end. `visible` is for prose. `exactText` is for approvals: it
 * also shows homoglyphs, odd spaces, and emptiness that pushes the rest out of sight.
 * Not here: markup of a page or a channel, widths, colours.
 */
import { latinLookalike, mixesAlphabets } from "./lookalike.ts";

/** A piece of a text. A `sign` is our escape for an invisible character; a page can style it so that no text looks like it. */
export interface Piece {
  text: string;
  sign: boolean;
}

export interface Exact {
  /** What is to be shown, line by line. */
  lines: Piece[][];
  /** Its actual number of lines. */
  count: number;
  /** What the reader should look at closely. */
  risks: string[];
}

/**
 * Controls but tab and line end, direction marks, what has no width, fillers, halves of characters, and marks piled up on one letter. Not the
 * signs that join emoji, nor those that Arabic and Indic writing needs between two letters.
 */
const joining = "\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Malayalam}";
const joined = [
  "(?<=\\p{Extended_Pictographic}\\ufe0f?|\\p{Emoji_Modifier})\\u200d(?=\\p{Extended_Pictographic})",
  "(?<=\\p{Emoji})\\ufe0f",
  `(?<=[${joining}\\p{M}])[\\u200c\\u200d](?=[${joining}])`,
].join("|");
const unseen =
  /(?![\t\n])\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}|\u2800|(?<=\p{M}{4})\p{M}/u;
const hidden = new RegExp(`(?!${joined})(?:${unseen.source})`, "gu");

/** Characters of a command that only look like ASCII, and non-standard spaces. */
const odd =
  /(?! )\p{Zs}|[\u01c3\u02bc\u037e\u05c3\u2010-\u2012\u2024\u2044\u2212\u2215\u2216\u2236\u29f8\ua789\ufe68]|\p{Co}/u;
const hiddenOrOdd = new RegExp(`${unseen.source}|${odd.source}`, "gu");

export const codeOf = (sign: string): string =>
  `<U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`;

/** Prose of any number of lines. */
export const visible = (text: string): string => text.replace(/\r\n/g, "\n").replace(hidden, codeOf);

/** The same in one line. */
export const visibleLine = (text: string): string =>
  visible(text)
    .replace(/[\s\u3000]+/gu, " ")
    .trim();

/** Whether it has anything that a reader would not see. */
export const hasHidden = (text: string): boolean => text.replace(/\r\n/g, "\n").search(hidden) >= 0;

/** JSON with invisible characters escaped, and still the same JSON. */
export const visibleJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) ?? "null").replace(hidden, (sign) =>
    Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );

const mostSpaces = 20;
const mostIndent = 40;

/** For approvals: exact to the last character. */
export function exactText(text: string): Exact {
  const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
  const all = whole.split("\n");
  const alphabets = otherAlphabets(text);
  const lines: Piece[][] = [];
  const found = { hidden: false, alike: false, blank: false };
  for (let at = 0; at < all.length; ) {
    let end = at;
    while (end < all.length && all[end]!.trim() === "" && !hiddenIn(all[end]!)) end++;
    if (end - at > 1) {
      lines.push([{ text: `[${end - at} blank lines]`, sign: true }]);
      found.blank = true;
      at = end;
    } else {
      lines.push(piecesOf(all[at]!, alphabets, found));
      at++;
    }
  }
  return {
    lines,
    count: all.length,
    risks: [
      ...(found.hidden ? ["it contains invisible characters; they are shown here as <U+…>"] : []),
      ...(found.alike ? ["it contains letters that look like others; they are shown here as <U+…>"] : []),
      ...(found.blank ? ["it contains blank space that could push text out of sight; here it is only counted"] : []),
      ...(rightToLeft.test(text) ? ["it contains right-to-left letters"] : []),
    ],
  };
}

/** The same as lines of plain text. */
export const exactLines = (text: string): string[] =>
  exactText(text).lines.map((pieces) => pieces.map((piece) => piece.text).join(""));

/** `3 lines`, if there are several. */
export const linesIn = (text: string): string => {
  const { length } = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  return length > 1 ? `${length.toLocaleString("en-US")} lines` : "";
};

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

const hiddenIn = (line: string): boolean => line.search(hiddenOrOdd) >= 0;

/** Whether it is plainly written in another alphabet: then a word of letters that exist in both is not a disguise. */
const otherAlphabets = (text: string): boolean => {
  for (const [letter] of text.matchAll(/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu))
    if (!latinLookalike(letter)) return true;
  return false;
};

function piecesOf(
  line: string,
  alphabets: boolean,
  found: { hidden: boolean; alike: boolean; blank: boolean },
): Piece[] {
  const pieces: Piece[] = [];
  let plain = "";
  const say = (sign: string) => {
    if (plain) pieces.push({ text: plain, sign: false });
    plain = "";
    pieces.push({ text: sign, sign: true });
  };
  /** Words, runs of blanks, and whatever is between them. */
  for (const [part] of line.matchAll(/[\p{L}\p{M}\p{N}]+|[ \t]+|[^\p{L}\p{M}\p{N} \t]+/gu)) {
    if (/^[ \t]/.test(part)) {
      const most = pieces.length || plain ? mostSpaces : mostIndent;
      if (part.length <= most) plain += part;
      else {
        found.blank = true;
        say(`[${part.length} spaces]`);
      }
      continue;
    }
    if (isPlain(part)) {
      plain += part;
      continue;
    }
    const disguised = isDisguised(part, alphabets);
    let marks = 0;
    for (const sign of part) {
      marks = /\p{M}/u.test(sign) ? marks + 1 : 0;
      const isHidden = marks > 4 || hiddenIn(sign);
      const isAlike = disguised && (latinLookalike(sign) !== undefined || isCompatible(sign));
      if (!isHidden && !isAlike) {
        plain += sign;
        continue;
      }
      found[isHidden ? "hidden" : "alike"] = true;
      say(codeOf(sign));
    }
  }
  if (plain) pieces.push({ text: plain, sign: false });
  return pieces;
}

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** A letter or digit that is only another form of an ASCII one: full width, mathematical. */
const isCompatible = (sign: string): boolean => !isPlain(sign) && /^[A-Za-z0-9]$/.test(sign.normalize("NFKC"));

function isDisguised(word: string, alphabets: boolean): boolean {
  const letters = [...word];
  if (letters.some(isCompatible)) return true;
  if (mixesAlphabets(word)) return true;
  // Such as а word of which every letter exists in Latin too, in a text that has no other of its alphabet.
  return !alphabets && letters.every((letter) => latinLookalike(letter) !== undefined || /[\p{M}\p{N}]/u.test(letter));
}

/** The target of a link, as it must be shown beside its text; undefined where the text says it itself. */
export function linkTarget(words: string, href: string): string | undefined {
  const target = parsed(href);
  if (!target) return undefined;
  const where = target.protocol === "mailto:" ? target.pathname : target.host;
  const said = words.trim();
  if (target.protocol === "mailto:") return said === where || said === href ? undefined : where;
  const named = parsed(/^[a-z][a-z0-9+.-]*:/i.test(said) ? said : `${target.protocol}//${said}`);
  const alone = /^[\x21-\x7e]+$/.test(said);
  return alone && named && named.host === target.host && !named.username && !target.username ? undefined : where;
}

function parsed(href: string): URL | undefined {
  try {
    return new URL(href);
  } catch {
    return undefined;
  }
}

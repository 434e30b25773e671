/**
 * Homoglyphs: letters that look like others. `skeleton` maps texts that look alike to the same form; for comparison, never for display.
 *
 * Covered: the letters of Cyrillic, Greek, Armenian, Cherokee and Latin itself that fonts draw like a-z, compatibility forms (full width,
 * mathematical, circled: NFKC), 0 and o, 1 and l, rn and m. Not covered: look-alikes within scripts other than Latin.
 */

/** Each Latin letter and what looks like it, in any case: both cases of a letter are one after folding. */
const alike: Record<string, string> = {
  a: "аαɑᴀаꭺᎪ",
  b: "вьъβʙᏴᏏЬ",
  c: "сϲᴄᏟⅽ",
  d: "ԁժᎠɗ",
  e: "еєεҽᎬё",
  f: "ғϝſք",
  g: "ɡցԌᏀᏳ",
  h: "нһհηᎻ",
  i: "іıɩιӏᎥɪїł",
  j: "јϳᎫ",
  k: "кκᏦĸ",
  l: "ⅼӏᏞʟ|",
  m: "мᎷʍ",
  n: "пոռηɴ",
  o: "оοσօӨөᴏ",
  p: "рρᏢ",
  q: "ԛգ",
  r: "гᎡʀᏒɼ",
  s: "ѕꜱᏚՏ",
  t: "тτᎢᴛ",
  u: "υսцᴜʋ",
  v: "νѵᏙᴠ",
  w: "ԝωᏔшѡᴡ",
  x: "хχ×",
  y: "уүγʏყ",
  z: "ᏃᴢʐƵ",
};

const latin = new Map<string, string>();
for (const [letter, others] of Object.entries(alike))
  for (const other of others)
    for (const form of [other, other.toLowerCase(), other.toUpperCase()])
      if (!latin.has(form) && !/^[\x20-\x7e]+$/.test(form)) latin.set(form, letter);

/** The Latin letter that this one is taken for, if it is not one itself. */
export const latinLookalike = (letter: string): string | undefined => latin.get(letter);

const foreign = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/** Latin and another alphabet that has look-alikes in one word: no language writes so. */
export const mixesAlphabets = (word: string): boolean => /\p{Script=Latin}/u.test(word) && foreign.test(word);

/** Each letter and digit as the Latin one it looks like. */
export function skeleton(text: string): string {
  const letters: string[] = [];
  for (const sign of text.normalize("NFKC").toLowerCase()) letters.push(latin.get(sign) ?? sign);
  return letters
    .join("")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, "")
    .replaceAll("0", "o")
    .replace(/[1i]/g, "l")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
}

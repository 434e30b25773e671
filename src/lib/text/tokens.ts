/**
 * Estimates the tokens of a text, rather too many: billing uses the provider's count. English runs at about four characters a token, code and JSON
 * at three; other scripts at one or two.
 */
export function estimateTokens(text: string): number {
  // Most texts have none, and the engine knows that without scanning.
  if (!wideCharacter.test(text)) return Math.ceil(text.length / 3.4);
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x2ff) wide++;
  return Math.ceil((text.length - wide) / 3.4 + wide / 1.3);
}

const wideCharacter = /[\u0300-\uffff]/;

/** How many characters of this text fit into so many tokens: rather too few. */
export function charactersWithin(text: string, tokens: number): number {
  if (text.length / 3 <= tokens && !wideCharacter.test(text) && !/\d/.test(text)) return text.length;
  let sum = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    sum += code > 0x2ff ? 1.5 : code >= 0x30 && code <= 0x39 ? 0.5 : 1 / 3;
    if (sum > tokens) return index;
  }
  return text.length;
}

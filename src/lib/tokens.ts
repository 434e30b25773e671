/**
 * How many tokens a text will be, roughly and rather too many: what is measured for money comes from the provider.
 * English runs at about four characters a token, code and JSON at three; other scripts at one or two.
 */
export function estimateTokens(text: string): number {
  // Most texts have none, and the engine knows that without looking at each character.
  if (!wideCharacter.test(text)) return Math.ceil(text.length / 3.4);
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x2ff) wide++;
  return Math.ceil((text.length - wide) / 3.4 + wide / 1.3);
}

const wideCharacter = /[\u0300-\uffff]/;

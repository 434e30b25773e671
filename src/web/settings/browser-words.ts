/** What a browser says it is, in plain words: Firefox on Linux. A guess to tell them apart; nothing hangs on it. */
const browsers: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, "Edge"],
  [/\b(?:OPR|Opera)\/(\d+)/, "Opera"],
  [/\bSamsungBrowser\/(\d+)/, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/\bHeadlessChrome\/(\d+)/, "Chrome without a window"],
  [/\b(?:Chrome|CriOS|Chromium)\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//, "Safari"],
];
const systems: [RegExp, string][] = [
  [/\biPhone\b/, "an iPhone"],
  [/\biPad\b/, "an iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

export function browserWords(said: string): string {
  const browser = browsers.flatMap(([sign, name]) => {
    const found = sign.exec(said);
    return found ? [`${name} ${found[1]}`] : [];
  })[0];
  const system = systems.find(([sign]) => sign.test(said))?.[1];
  return `${browser ?? "A browser"}${system ? ` on ${system}` : ""}`;
}

import { expect, test } from "vitest";
import { browserWords } from "./browser-words.ts";

const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";

test.each([
  [chrome, "Chrome 131 on Windows"],
  [`${chrome} Edg/131.0.2903.70`, "Edge 131 on Windows"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox 133 on Linux"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
    "Safari 18 on an iPhone",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
    "Chrome 131 on Android",
  ],
  ["<b>me</b>", "A browser"],
  ["", "A browser"],
])("%s is %s", (said, words) => {
  expect(browserWords(said)).toBe(words);
});

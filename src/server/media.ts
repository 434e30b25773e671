/**
 * The media type that a file is served as. Models and programs write these files, and they are served from our own origin: so nothing is ever
 * served as a type that a browser would run (XSS). Pages, SVG, XML and scripts are plain text; pictures, sound, video and PDF keep their type; all
 * else is a download.
 */
export interface Media {
  type: string;
  /** A browser may show it; otherwise it is a download. */
  inline: boolean;
}

const shown: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  ico: "image/x-icon",
  pdf: "application/pdf",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  mp4: "video/mp4",
  webm: "video/webm",
};

const texts = new Set(
  (
    "md txt text log csv tsv json jsonl ndjson yaml yml toml ini cfg conf html htm xhtml svg xml xsl rss atom js mjs cjs jsx ts tsx css py rb " +
    "rs go c h cpp hpp java kt swift sh bash zsh sql diff patch tex rst adoc ipynb lock env gitignore"
  ).split(" "),
);

const plain = "text/plain; charset=utf-8";

/** By the name, and for unknown extensions by whether the content is text. */
export function mediaOf(name: string, content: Uint8Array): Media {
  const [, ending = ""] = /\.([a-z0-9]+)$/.exec(name.toLowerCase()) ?? [];
  if (Object.hasOwn(shown, ending)) return { type: shown[ending]!, inline: true };
  if (texts.has(ending) || (ending === "" && textOf(content) !== null)) return { type: plain, inline: true };
  return { type: "application/octet-stream", inline: false };
}

/** The same for a declared type. */
export function mediaOfType(type: string): Media {
  const [said = ""] = type.toLowerCase().split(";");
  if (Object.values(shown).includes(said.trim())) return { type: said.trim(), inline: true };
  return /^text\/|[/+](json|xml|yaml|javascript)$/.test(said.trim())
    ? { type: plain, inline: true }
    : { type: "application/octet-stream", inline: false };
}

/** Null if it is not text. */
export function textOf(content: Uint8Array): string | null {
  if (content.subarray(0, 8_000).includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}

const longest = 1_000_000;

/** A part of a text, by default from its beginning, for JSON. */
export function shownText(content: Uint8Array, offset = 0, length = longest) {
  const whole = textOf(content);
  if (whole === null) return { text: null, truncated: false };
  const end = offset + length;
  const text = whole.slice(offset, end).toWellFormed();
  return { text, truncated: text.length < whole.length, ...(end < whole.length ? { next_offset: end } : {}) };
}

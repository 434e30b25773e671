/**
 * A web response as text for a model. HTML becomes Markdown of its main part, JSON is pretty-printed, other text stays as it is, and anything else
 * is reported as such. A page that takes too long or cannot be parsed falls back to its plain text.
 */
import { nameOf } from "../../lib/network/target.ts";
import type { NetworkAnswer, Threads } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import { layOut } from "../lay-out.ts";
import { decodeText } from "./charset.ts";
import { plainText } from "./plain-text.ts";

export interface Readable {
  text: string;
  title?: string | undefined;
  author?: string | undefined;
  published?: string | undefined;
  site?: string | undefined;
  /** Why it is incomplete. */
  note?: string | undefined;
}

export interface Reader {
  threads: Threads;
  signal: AbortSignal;
  timeoutMs: number;
}

/** Characters of a page; the time is more than linear. */
const mostHtml = 400_000;
const memoryMb = 256;
/** Characters of pretty-printed JSON: more than is shown. */
const mostJson = 20_000;

export async function readAnswer(answer: NetworkAnswer, reader: Reader): Promise<Readable> {
  const type = answer.headers["content-type"] ?? "";
  const kind = kindOf(type.split(";")[0]!.trim().toLowerCase(), answer.body);
  if (!kind) {
    const what = type ? `of the type ${JSON.stringify(type.slice(0, 80))}` : "not text";
    const size = answer.body.length.toLocaleString("en-US");
    throw new Problem(
      "invalid",
      `${nameOf(new URL(answer.url))} is ${what} (${size} bytes); web_fetch reads pages, text and JSON`,
    );
  }
  const text = decodeText(answer.body, type);
  if (kind === "html") return await readHtml(text, answer.url, reader);
  const laidOut = kind === "json" ? layOut(text, mostJson) : undefined;
  if (laidOut === undefined) return { text };
  const note =
    laidOut.length < mostJson
      ? undefined
      : `It has ${text.length.toLocaleString("en-US")} characters of JSON; this is the beginning.`;
  return { text: laidOut, note };
}

function kindOf(type: string, body: Buffer): "html" | "json" | "text" | undefined {
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (/^application\/(json|.*\+json)$/.test(type) || type === "text/json") return "json";
  if (type.startsWith("text/")) return "text";
  if (/^application\/(.*\+)?(xml|yaml|x-yaml|javascript|x-javascript|toml|sql|x-ndjson|graphql)$/.test(type))
    return "text";
  if (type && type !== "application/octet-stream") return undefined;
  const head = body.subarray(0, 1024);
  if (head.includes(0) || head.subarray(0, 5).toString("latin1") === "%PDF-") return undefined;
  return /<(!doctype html|html)[\s>]/i.test(head.toString("latin1")) ? "html" : "text";
}

async function readHtml(whole: string, url: string, reader: Reader): Promise<Readable> {
  const { threads, signal, timeoutMs } = reader;
  const html = whole.slice(0, mostHtml);
  const long =
    whole.length > html.length
      ? `The page has ${whole.length.toLocaleString("en-US")} characters; the first ${html.length.toLocaleString("en-US")} were read.`
      : undefined;
  try {
    const page = (await threads.run({ module, input: { html, url }, signal, timeoutMs, memoryMb })) as Readable;
    if (page.text.trim()) return { ...page, note: long };
    const text = plainText(html);
    return { ...page, text, note: text ? long : "The page has no text of its own; a script would have to make it." };
  } catch (error) {
    if (signal.aborted) throw error;
    return {
      text: plainText(html),
      note: [long, "It could not be read as a document; these are its words."].filter(Boolean).join(" "),
    };
  }
}

/** Beside this file, as it is here or as it was built. */
const module = new URL(import.meta.url.endsWith(".ts") ? "./page-thread.ts" : "./page-thread.mjs", import.meta.url);

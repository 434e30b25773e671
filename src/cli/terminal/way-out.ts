/**
 * The way out of the process to a terminal. A terminal obeys what is written to it, so nothing that somebody else wrote leaves as it is: signs that
 * steer it, or that nobody would see, are written out (lib/text/visible.ts). Only what is ours has an effect: a style that was made by `createStyles`
 * carries a word that nobody outside knows, and becomes an escape sequence here and nowhere else.
 *
 * `guardStreams` puts this before all that is written to a terminal, whoever writes it and however; a command that forgets to clean a text
 * shows it clean all the same. Piped into a file or a program, bytes stay what they are.
 */
import { randomBytes } from "node:crypto";
import picocolors from "picocolors";
import { visible } from "../../lib/text/visible.ts";
import type { Colors } from "../view/mark.ts";

const word = randomBytes(12).toString("hex");
const ours = new RegExp(`\\x1b${word}\\[([0-9;]+)m`, "g");

/** Colours and weights that leave as such; none if `on` is false. */
export function createStyles(on: boolean): Colors {
  const plain = picocolors.createColors(on);
  if (!on) return plain;
  const made = Object.entries(plain).map(([name, draw]) =>
    typeof draw === "function" ? [name, signed(draw)] : [name, draw],
  );
  return Object.fromEntries(made) as Colors;
}

/** What picocolors does, in a form that only `terminalText` takes for an escape sequence. */
function signed(draw: (text: string) => string): (text: string) => string {
  const [open = "", close = ""] = draw("\0")
    .split("\0")
    .map((codes) => codes.replaceAll("\x1b[", `\x1b${word}[`));
  return (text) => open + String(text).replaceAll(close, close + open) + close;
}

/** A text as it may reach a terminal. */
export function terminalText(text: string): string {
  return text
    .split(ours)
    .map((part, index) => (index % 2 ? `\x1b[${part}m` : visible(part)))
    .join("");
}

type Stream = NodeJS.WriteStream;
const untouched = new WeakMap<Stream, Stream>();

/** From now on nothing reaches the terminal that is not finished. */
export function guardStreams(streams: readonly Stream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams) {
    if (!stream.isTTY || untouched.has(stream)) continue;
    const write = stream.write.bind(stream);
    const get = (_: Stream, name: string | symbol) => {
      if (name === "write") return write;
      const value = Reflect.get(stream, name);
      return typeof value === "function" ? value.bind(stream) : value;
    };
    untouched.set(stream, new Proxy(stream, { get }));
    const guarded = (chunk: string | Uint8Array, ...rest: never[]) =>
      write(terminalText(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)), ...rest);
    stream.write = guarded as Stream["write"];
  }
}

/** Past the guard: for what is finished already, for the line a person types, and for who asked for bytes as they are. */
export const unguardedStream = (stream: Stream): Stream => untouched.get(stream) ?? stream;

/** Bytes as text for a terminal, in whatever pieces they come. */
export function createReader(write: (text: string) => void): { take(chunk: Uint8Array): void; end(): void } {
  const decoder = new TextDecoder();
  return {
    take: (chunk) => write(decoder.decode(chunk, { stream: true })),
    end: () => write(decoder.decode()),
  };
}

import { expect, test } from "vitest";
import { createTerminal } from "./terminal.ts";

function screen(live: boolean, columns = 80) {
  const written: string[] = [];
  const out = { columns, rows: 24, write: (text: string) => written.push(text) };
  return { written, out, terminal: createTerminal({ out, live, color: false }) };
}

test("piped, there is no board and no escape sequence", () => {
  const { written, terminal } = screen(false);
  terminal.board(["board"]);
  terminal.say(["one", "two"]);
  terminal.end();
  expect(written.join("")).toBe("one\ntwo\n");
});

test("on a live terminal lines stay and only the board under them is repainted", () => {
  const { written, terminal } = screen(true);
  terminal.board(["a", "b"]);
  terminal.say(["one"]);
  terminal.board(["c"]);
  terminal.end();
  expect(written).toEqual(["a\nb\n", "\r\x1b[2A\x1b[Jone\na\nb\n", "\r\x1b[2A\x1b[Jc\n", "\r\x1b[1A\x1b[J"]);
});

test("a terminal made narrower has folded the board's long lines; all of them are erased", () => {
  const { written, out, terminal } = screen(true);
  terminal.board(["x".repeat(70), "short"]);
  out.columns = 40;
  terminal.board(["new"]);
  expect(written.at(-1)).toBe("\r\x1b[3A\x1b[Jnew\n");
});

test("under the board is the line that a person types: it is drawn again last, and what was sent is drawn over", () => {
  const written: string[] = [];
  let below = 0;
  const prompt = { below: () => below, redraw: () => void written.push("<line>") };
  const out = { columns: 80, rows: 24, write: (text: string) => written.push(text) };
  const terminal = createTerminal({ out, live: true, color: false, prompt });
  terminal.board(["a", "b"]);
  terminal.say(["one"]);
  below = 1; // a line was sent, or one is typed that takes two rows
  terminal.board(["c"]);
  terminal.board(["c"]);
  terminal.end();
  expect(written).toEqual([
    "\r\x1b[Ja\nb\n",
    "<line>",
    "\r\x1b[2A\x1b[Jone\na\nb\n",
    "<line>",
    "\r\x1b[3A\x1b[Jc\n",
    "<line>",
    "\r\x1b[2A\x1b[J",
  ]);
});

import { expect, test } from "vitest";
import type { Line } from "../schema/worker.ts";
import { tokensOf, tokensOfConversation } from "./context.ts";

const line = (text: string): Line => ({ role: "assistant", turn: "t1", text, calls: [] });

test("a conversation that grows, shrinks at either end or has a line replaced is counted like one that is counted for the first time", () => {
  const conversation = Array.from({ length: 60 }, (_, n) => line(`line ${n}`));
  const edits: ((n: number) => void)[] = [
    (n) => conversation.push(line("a word ".repeat(n))),
    (n) => conversation.push(line(`another ${n}`), line("and one more")),
    () => conversation.pop(),
    () => conversation.splice(0, 2),
    (n) => conversation.length && conversation.splice(n % conversation.length, 1, line(`instead ${n}`)),
    () => conversation.reverse(),
  ];
  for (let n = 1; n <= 200; n++) {
    edits[(n * 7 + (n >> 2)) % edits.length]!(n);
    expect(tokensOfConversation(conversation)).toBe(tokensOf([...conversation]));
  }
});

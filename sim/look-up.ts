/** What a model looks up: tools that it was not shown, what was said, what others know, what is proposed for its memory. */
import type { SimRandom } from "./random.ts";

export function lookUp(dice: SimRandom): [tool: string, input: unknown] {
  const input = dice.pick([
    ["write_file", { path: "f1.md", content: `text ${dice.int(1000)}` }],
    ["memory_write", { path: "memory/knowledge/y.md", content: `fact ${dice.int(100)}` }],
    ["poke", {}],
    ["document_list", {}],
    ["use_tool", {}],
    ["no_such_tool", {}],
  ] as const);
  return dice.pick<[string, unknown]>([
    ["find_tools", { query: dice.pick(["write a file", "vote", "zzz"]) }],
    ["use_tool", { tool: input[0], input: input[1] }],
    ["conversation_search", { query: dice.pick(["visit", "word", "zzz"]), ...(dice.chance(0.3) ? { run: "r1" } : {}) }],
    ["ask_about", { agent: `a${1 + dice.int(3)}`, question: "fact" }],
    ["memory_proposals", { action: dice.pick(["list", "accept", "decline"]), insight: `i${1 + dice.int(2)}` }],
  ]);
}

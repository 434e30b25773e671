/**
 * What providers can serve from their caches: in a loop of fifty turns with one tool call each, how much of a request is byte for byte the
 * beginning of the one before.
 *
 * Compared is what a provider makes its prompt of, in its order: tools, system, messages as they stand on the wire. The marks that say where to
 * cache (cache_control) move from call to call and are no part of the prompt; they are taken out. The note at the end of each call comes after what is new, so it is never part of the prefix.
 */
import { estimateTokens } from "../src/lib/text/tokens.ts";
import { tools } from "../src/tool/index.ts";
import type { Bench, Figure } from "./figure.ts";
import { createLookers } from "./looker.ts";
import { createProvider } from "./provider.ts";

const turns = 50;
const models = { anthropic: "anthropic/claude-sonnet-5-5", openai: "openai/gpt-6.1-sol" };

export const prefix: Bench = {
  name: "prefix",
  about:
    "Fifty turns with all tools, one call of 500 characters each, a tool found and used on the way: the share of the input, over all requests, that is a byte-identical prefix of the request before.",
  async run(place) {
    const figures: Figure[] = [];
    for (const [name, model] of Object.entries(models)) {
      const provider = await createProvider();
      // On its way it finds a tool and uses it: that must cost nothing of what is cached.
      provider.instead.set(10, { name: "find_tools", input: { query: "remember something to do later" } });
      provider.instead.set(11, { name: "use_tool", input: { tool: "todo", input: { action: "add", text: "tell" } } });
      const lookers = await createLookers(place.folder(`prefix-${name}`), provider, model, { tools });
      await lookers.take(turns);
      await lookers.stop();
      provider.close();
      figures.push(figureOf(name, provider.asked.map(promptIn)));
    }
    return figures;
  },
};

function figureOf(name: string, prompts: string[]): Figure {
  let [bytes, sameBytes, tokens, sameTokens, least] = [0, 0, 0, 0, 1];
  for (const [at, prompt] of prompts.entries()) {
    // The first has none before it: it is paid in full, and counted.
    const same = at === 0 ? "" : prompt.slice(0, common(prompts[at - 1]!, prompt));
    bytes += Buffer.byteLength(prompt);
    sameBytes += Buffer.byteLength(same);
    tokens += estimateTokens(prompt);
    sameTokens += estimateTokens(same);
    if (at > 0) least = Math.min(least, same.length / prompt.length);
  }
  const value = sameTokens / tokens;
  return {
    name: `prefix.${name}`,
    value,
    unit: "of 1",
    baseline: null,
    ratio: null,
    goal: "≥ 0.9",
    ok: value >= 0.9 && sameBytes / bytes >= 0.9,
    note: `By estimated tokens; ${(sameBytes / bytes).toFixed(3)} of the bytes. ${prompts.length} requests, the first ${Buffer.byteLength(prompts[0]!)} and the last ${Buffer.byteLength(prompts.at(-1)!)} bytes, counted without marks; after the first at least ${least.toFixed(3)} each.`,
  };
}

/** Tools, system and messages of a request, without marks. OpenAI has its system prompt among the messages. */
function promptIn(body: string): string {
  const { tools, system, messages, instructions, input } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify([tools, system ?? instructions, messages ?? input], (key, value) =>
    key === "cache_control" ? undefined : value,
  );
}

function common(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/**
 * What the runtime adds to a turn with one tool call: from the end of the provider's answer to the next request, which shows the result.
 *
 * Ours is the real runtime with the real backend on the real disk; the tool counts as one that touches the world. The bare loop is what one
 * writes with the AI SDK alone: streamText, one step, the messages kept in an array, nothing stored. Same provider, same system prompt, same
 * tool, same results, new conversations of twenty turns; blocks of both and of plain fdatasyncs in turns. (In longer conversations the bare loop
 * falls behind: the SDK checks every message again before each call.)
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { type ModelMessage, stepCountIs, streamText, tool as toolOf } from "ai";
import { machine } from "../src/lib/machine/index.ts";
import type { World } from "../src/lib/world.ts";
import type { Bench } from "./figure.ts";
import { about, createLookers, entry, found } from "./looker.ts";
import { createProvider, type Provider, tool } from "./provider.ts";
import { median, quantile, timed } from "./rounds.ts";

const blocks = 12;
const turnsPerBlock = 20;
const mostSyncs = 4;

export const turn: Bench = {
  name: "turn",
  about:
    "A turn with one tool call, without the model's time: from the end of an answer to the next request, against 1.5 times the same in a bare AI SDK loop that stores nothing, plus the fdatasyncs of a turn.",
  async run(place) {
    const home = place.folder("turn");
    const provider = await createProvider();
    const { world, seen } = countSyncs();
    const lookers = await createLookers(home, provider, "anthropic/claude-sonnet-5-5", { world });
    const raw = await open(join(home, "raw"), "a");
    const ours: number[] = [];
    const bare: number[] = [];
    const syncs: number[] = [];
    const turns = Math.max(5, Math.round(turnsPerBlock * place.size));
    let needed = 0;
    let written = 0;
    // One block more: the first only warms up.
    for (let block = 0; block <= blocks; block++) {
      let before = { ...seen };
      const times = await lookers.take(turns, () => {
        before = { ...seen };
      });
      const theirs = await bareLoop(provider, turns);
      const bytes = Buffer.alloc(Math.round((seen.bytes - before.bytes) / (seen.syncs - before.syncs)), "a");
      const plain: number[] = [];
      for (let n = 0; n < turns; n++) {
        await raw.write(bytes);
        plain.push(await timed(() => raw.datasync()));
      }
      if (block === 0) continue;
      ours.push(...times);
      bare.push(...theirs);
      syncs.push(...plain);
      needed += seen.syncs - before.syncs;
      written += seen.bytes - before.bytes;
    }
    await lookers.stop();
    await raw.close();
    provider.close();

    const [value, least, sync] = [median(ours), median(bare), median(syncs)];
    // The word that ends each block is a turn, too.
    const each = needed / (ours.length + blocks);
    const baseline = 1.5 * least + mostSyncs * sync;
    const spread = (times: number[]) =>
      `p25 ${quantile(times, 0.25).toFixed(2)}, p75 ${quantile(times, 0.75).toFixed(2)}`;
    return [
      {
        name: "turn.p50",
        value,
        unit: "ms",
        baseline,
        ratio: value / baseline,
        goal: "ratio ≤ 1",
        ok: value <= baseline,
        note: `${ours.length} turns, ${spread(ours)} ms. The baseline is 1.5 × ${least.toFixed(2)} ms (bare, ${spread(bare)}) + ${mostSyncs} × ${sync.toFixed(2)} ms (fdatasync of as many bytes); ${(value / least).toFixed(2)} times the bare loop with the disk counted as ours.`,
      },
      {
        name: "turn.above-syncs",
        value: value - each * sync,
        unit: "ms",
        baseline: least,
        ratio: (value - each * sync) / least,
        goal: null,
        ok: true,
        note: "Without the fdatasyncs it made, against the bare loop.",
      },
      {
        name: "turn.syncs",
        value: each,
        unit: "syncs",
        baseline: null,
        ratio: null,
        goal: `≤ ${mostSyncs}`,
        ok: each <= mostSyncs,
        note: `Of the log; ${Math.round(written / needed)} bytes each. The tool's start is durable before it runs, and the answer with all that follows before the next request.`,
      },
    ];
  },
};

/** What our runtime shows is shown here, too. */
async function bareLoop(provider: Provider, turns: number): Promise<number[]> {
  const model = createAnthropic({ baseURL: `${provider.url}/v1`, apiKey: "none" }).languageModel("claude-sonnet-5-5");
  const first = JSON.parse(provider.asked[0]!) as { system: { text: string }[] };
  const system = first.system.map(({ text }) => text).join("\n\n");
  const tools = {
    [tool]: toolOf({ description: about, inputSchema: entry, execute: async ({ what }) => found(what) }),
  };
  const messages: ModelMessage[] = [{ role: "user", content: "look things up" }];
  const played = provider.play(turns);
  for (;;) {
    const result = streamText({ model, system, messages, tools, stopWhen: stepCountIs(1) });
    for await (const _ of result.fullStream);
    messages.push(...(await result.responseMessages));
    if ((await result.finishReason) !== "tool-calls") return await played;
  }
}

/** The real world, with the syncs and bytes of open files (the log is the only one) counted. */
function countSyncs(): { world: World; seen: { syncs: number; bytes: number } } {
  const seen = { syncs: 0, bytes: 0 };
  const { files } = machine;
  const opened: World["files"]["open"] = async (path) => {
    const file = await files.open(path);
    return {
      ...file,
      append(bytes) {
        seen.bytes += bytes.length;
        return file.append(bytes);
      },
      sync: () => file.sync().finally(() => seen.syncs++),
    };
  };
  return { world: { ...machine, files: { ...files, open: opened } }, seen };
}

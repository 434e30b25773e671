/**
 * What saving every workspace costs: turns that write a file, saved as they always are, against the same turns in which the same file is written past
 * us, so that nobody saves it. The provider answers at once, so that saving one turn's file falls into the next turn: the worst case. And how much
 * the disk grows by it.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { runRoot } from "../src/home/layout.ts";
import { machine } from "../src/lib/machine/index.ts";
import type { ToolContext } from "../src/toolkit/tool.ts";
import type { Bench } from "./figure.ts";
import { createLookers } from "./looker.ts";
import { createProvider } from "./provider.ts";
import { inTurns, median, ratioOf } from "./rounds.ts";

const blocks = 15;
const turnsPerBlock = 20;
const files = 10;
const bytes = 2_000;

export const keep: Bench = {
  name: "keep",
  about:
    "A turn that writes a file of 2 kB in its scratch, which is saved by hash beside the turn, against the same turn without saving; and the bytes that saving adds.",
  async run(place) {
    const turns = Math.max(5, Math.round(turnsPerBlock * place.size));
    const homes = { saved: place.folder("saved"), plain: place.folder("plain") };
    let n = 0;
    const next = () => {
      n++;
      return { path: `file-${n % files}.md`, content: `${n} `.padEnd(bytes, "what was found; ") };
    };
    const provider = await createProvider();
    const model = "anthropic/claude-sonnet-5-5";
    const act = {
      async saved({ write }: ToolContext) {
        const { path, content } = next();
        await write(path, content);
      },
      async plain({ state }: ToolContext) {
        const { path, content } = next();
        const root = runRoot(homes.plain, state().agent!.id, state().run!.id);
        await machine.files.within(root).write(`scratch/${path}`, content);
      },
    };
    const saved = await createLookers(homes.saved, provider, model, { act: act.saved });
    const plain = await createLookers(homes.plain, provider, model, { act: act.plain });
    const times = await inTurns(blocks, {
      saved: async () => median(await saved.take(turns)),
      plain: async () => median(await plain.take(turns)),
    });
    await saved.stop();
    await plain.stop();
    provider.close();

    const { value: ratio, scatter } = ratioOf(times.saved, times.plain);
    const grown = grownBy(homes.saved);
    const written = (blocks + 1) * turns;
    const most = 1.3 * written * bytes + 2_048 * written;
    return [
      {
        name: "keep.turn",
        value: median(times.saved),
        unit: "ms",
        baseline: median(times.plain),
        ratio,
        goal: "ratio ≤ 1.1",
        ok: ratio <= 1.1,
        note: `${scatter}. Medians of ${turns} turns each, in turns.`,
      },
      {
        name: "keep.bytes",
        value: grown.bytes / written,
        unit: "bytes a turn",
        baseline: most / written,
        ratio: grown.bytes / most,
        goal: "ratio ≤ 1",
        ok: grown.bytes <= most,
        note: `Blobs and events of ${written} turns that changed ${bytes} bytes each: ${(grown.bytes / (written * bytes)).toFixed(2)} times the bytes, in ${grown.events} versions. The baseline is 1.3 times the bytes and 2 KB a turn.`,
      },
    ];
  },
};

/** By saving: all blobs, and the events that name versions. */
function grownBy(home: string): { bytes: number; events: number } {
  let [sum, events] = [0, 0];
  for (const agent of readdirSync(join(home, "agents"))) {
    const root = join(home, "agents", agent);
    for (const blob of readdirSync(join(root, "blobs"))) sum += statSync(join(root, "blobs", blob)).size;
    for (const line of readFileSync(join(root, "events.jsonl"), "utf8").split("\n")) {
      if (!line.includes('"type":"workspace.kept"')) continue;
      sum += line.length + 1;
      events++;
    }
  }
  return { bytes: sum, events };
}

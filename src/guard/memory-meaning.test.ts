import { afterAll, expect, test } from "vitest";
import { machine } from "../lib/machine/index.ts";
import { createOfflineEmbedder } from "../lib/machine/offline-embedder.ts";
import { tempFolder } from "../store/temp.test-help.ts";
import { createMemory } from "./memory.ts";
import { agentPlace } from "./memory-place.ts";

const embedder = createOfflineEmbedder();
afterAll(() => embedder.close());

const notes = {
  "knowledge/deploy.md":
    "# Website\n\nWe ship to production every Tuesday morning.\n\n## When it goes wrong\n\nRevert to the previous image and purge the CDN.",
  "knowledge/chips.md": "# Processors\n\nTSMC makes most of the advanced ones in Taiwan.",
  "preferences/maria.md": "Maria dislikes meetings before ten o'clock.",
  "experiences/tests.md": "The tests failed at random because two of them shared a temporary folder.",
  "knowledge/party.md": "The cake for grandmother must not contain nuts; she is allergic.",
};

test("with the offline model, a note is found by what it means and by what it says", async () => {
  const memories = createMemory({ world: machine, embedder, patienceMs: 20_000 });
  const memory = memories.of(agentPlace(await tempFolder(), "a1"));
  for (const [path, text] of Object.entries(notes)) await memory.write(path, text);
  await memory.indexed();
  const first = async (query: string) => {
    const { by, found } = await memory.search(query, 3);
    expect(by).toBe("words and meaning");
    return [found[0]!.path, found[0]!.section];
  };
  // No word of these is in the note.
  expect(await first("where are semiconductors manufactured?")).toEqual(["memory/knowledge/chips.md", "Processors"]);
  expect(await first("is it too early for a conversation with her at nine?")).toEqual([
    "memory/preferences/maria.md",
    "",
  ]);
  expect(await first("which food is dangerous for an old lady")).toEqual(["memory/knowledge/party.md", ""]);
  // And by a word that means nothing to the model.
  expect(await first("CDN")).toEqual(["memory/knowledge/deploy.md", "Website › When it goes wrong"]);
  expect(await first("TSMC")).toEqual(["memory/knowledge/chips.md", "Processors"]);
  memories.close();
});

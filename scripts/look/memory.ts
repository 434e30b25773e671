/** Pictures of Memory and Soul: empty, with a thousand notes, with proposals to accept, a note from outside, a note's history, a search. */
import { join } from "node:path";
import { ask } from "../../test/daemon.ts";
import { newFolder, put } from "../../test/program.ts";
import { openScene } from "../../test/web/scene.ts";
import { inEveryLook } from "./camera.ts";
import { notes } from "./pages.ts";

const known = (agent: string) => `/app/agents/${agent}/memory?view=known`;

export async function takeMemory(folder: string): Promise<void> {
  const scene = await openScene();
  const { home, lab } = scene;
  const project = newFolder({ "prices.md": "The H200 costs $1.90 at a new cloud.\n" });
  const remember = (path: string, content: string) => ({ tool: "memory_write", input: { path, content } });
  lab.play(
    remember("MEMORY.md", "# Always\n\nReports are one page long.\n"),
    remember("knowledge/board.md", "# Board\n\nIt reads on paper.\n"),
    { tool: "read_file", input: { path: "project/prices.md" } },
    remember("knowledge/new-cloud.md", "# New cloud\n\nAn H200 costs $1.90 an hour there.\n"),
    remember("MEMORY.md", "# Always\n\nReports are one page long. Prices come from the new cloud.\n"),
    { say: "I have read the prices. Which year is the report for?" },
    { say: "From now on I report in five lines." },
  );
  await ask(home, "POST /agents", {
    goal: "Find the prices",
    name: "ai-chips",
    folder: project,
    soul: "A careful analyst.\n\nCites every number.",
  });
  await ask(home, "POST /agents", { goal: "Nothing yet", name: "empty", start: false });
  await ask(home, "POST /agents", { goal: "Much", name: "many", start: false });
  const many = Array.from({ length: 1000 }, (_, n) => [
    `memory/${["knowledge", "preferences", "experiences", "decisions"][n % 4]}/note-${n}.md`,
    `---\nsubject: Subject number ${n} of many\nsource: r${n % 30}, reflection\nnoted: 2026-0${1 + (n % 9)}-1${n % 10}\n---\n# Subject number ${n}\n\nIt says ${n}.\n`,
  ]);
  put(join(home, "agents/many"), Object.fromEntries(many));
  for (let tries = 0; tries < 400; tries++) {
    const { body } = await ask(home, "GET /agents/ai-chips/insights");
    if (body.items.length) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const [path, text] of Object.entries(notes)) await ask(home, `PUT /agents/ai-chips/memory/${path}`, { text });
  // By hand, as people do.
  put(scene.at("ai-chips"), {
    "memory/knowledge/board.md": "# Board\n\nIt reads on paper, on Mondays.\n",
    "SOUL.md": "A careful analyst.\n\nCites every number, with its date.\n",
  });
  await ask(home, "POST /agents/ai-chips/send", { message: "From now on always report in five lines." });
  await inEveryLook(folder, home, known("ai-chips"), async ({ page, shoot, visit }) => {
    await page.locator(".mem-n").first().waitFor();
    await shoot("mem-known");
    await page.getByRole("searchbox", { name: "Filter notes" }).fill("price");
    await shoot("mem-filter");
    await visit("/app/agents/ai-chips/memory#knowledge/board.md");
    await shoot("mem-note");
    await visit(known("empty"));
    await shoot("mem-empty");
    await visit(known("many"));
    await page.locator(".mem-n").first().waitFor();
    await shoot("mem-many");
    await visit("/app/agents/ai-chips/soul");
    await shoot("mem-soul");
    await visit("/app/agents/empty/soul");
    await shoot("mem-soul-empty");
  });
}

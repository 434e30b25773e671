/** Pictures of Needs you, Files, Memory, Cost, Triggers and Settings, and of what lies over them: the palette, stop, keys, an answer that is held. */
import { ask, upAndReady } from "../../test/daemon.ts";
import { newFolder } from "../../test/program.ts";
import { createCast } from "../../test/web/cast.ts";
import { openScene, putFiles, withApproval, withQuestion } from "../../test/web/scene.ts";
import { chips } from "../../test/web/teams.ts";
import { inEveryLook } from "./camera.ts";

const report = `# AI chips in 2026

Training is still one company's market, inference is not.

## Rent keeps falling

| Price per hour | 2025 | 2026 |
|---|---|---|
| H200 | $3.14 | $2.10 |
| B200 | $5.62 | $3.90 |

- Memory is the bottleneck
- Lead times grow

\`\`\`python
def price(hour):
    return hour * 2.10
\`\`\`
`;

const published = "/app/agents/ai-chips/files#nodes/n1-vendors/published";
const pages: Record<string, string> = {
  "needs-you": "/app/needs-you",
  files: "/app/agents/ai-chips/files",
  "files-csv": "/app/agents/ai-chips/files#documents/prices.csv",
  "files-html": `${published}/report.html`,
  "files-json": `${published}/data.json`,
  "files-py": `${published}/price.py`,
  memory: "/app/agents/ai-chips/memory",
  "memory-known": "/app/agents/ai-chips/memory?view=known",
  soul: "/app/agents/ai-chips/soul",
  cost: "/app/agents/ai-chips/cost",
  triggers: "/app/agents/ai-chips/triggers",
  settings: "/app/settings",
};

const noteOf = (subject: string, source: string, noted: string, more: string, text: string) =>
  `---\nsubject: ${subject}\nsource: ${source}\nnoted: ${noted}\n${more}\n---\n# ${subject}\n\n${text}\n`;
const today = new Date().toISOString().slice(0, 10);
const weeksAgo = (weeks: number) => new Date(Date.now() - weeks * 604_800_000).toISOString().slice(0, 10);
export const notes: Record<string, string> = {
  "knowledge/price-of-an-h200.md": noteOf(
    "Price of an H200 per hour",
    "r3 n2-prices, reflection",
    today,
    "visibility: shareable",
    "It is $2.10 at the three large clouds.\n\nEarlier:\n- until 2026-05-01: It was $3.14. (r1)",
  ),
  "knowledge/lead-times.md": noteOf(
    "Lead times of HBM",
    "r2, reflection",
    weeksAgo(8),
    "tier: working",
    "Forty weeks and growing.",
  ),
  "preferences/form-of-reports.md": noteOf(
    "Form of reports",
    "said by human, r1",
    weeksAgo(3),
    "tier: core",
    "One page, conclusion first.",
  ),
  "experiences/vendor-pages.md": noteOf(
    "Where prices are right",
    "r1 n1-vendors, bea",
    weeksAgo(12),
    "tier: working",
    "The vendor's page; search engines show old ones.",
  ),
};

export async function takePages(folder: string): Promise<void> {
  const scene = await openScene();
  await withQuestion(
    scene,
    "ai-chips",
    "Should the report cover chips sold only in China?\n\nAscend and Cambricon ship in volume, but your board cannot buy them.",
    ["Leave them out", "One page, public sources", "A full section"],
  );
  await withApproval(scene, "repo-caretaker", { path: "lockfile.txt", content: "fix/lockfile" });
  await withApproval(scene, "letter", { path: "note.md", content: "board reads on paper" });
  scene.lab.play({ say: "Hello" });
  await ask(scene.home, "POST /agents", { goal: "Watch the news", name: "hn-monitor", budget: { turns: 1 } });
  await ask(scene.home, "POST /agents/hn-monitor/send", { message: "And?" });
  putFiles(scene, "ai-chips", {
    "_plan.md": report,
    "documents/prices.csv": 'Vendor,Chip,"Price, $"\nNVIDIA,H200,2.10\nAMD,MI355X,2.88\n',
    "nodes/n1-vendors/_spec.md": "# Vendors\n",
    "nodes/n1-vendors/published/report.html": `<style>body{font-family:sans-serif;padding:30px} h1{color:#336}</style><h1>Report</h1><p style="color:#a33">Inline red</p><script>alert(1)</script>`,
    "nodes/n1-vendors/published/data.json": JSON.stringify({ a: [1, 2, { b: "c" }], d: null }),
    "nodes/n1-vendors/published/price.py": "def price(hour):\n    return hour * 2.1\n",
  });
  for (const [path, text] of Object.entries(notes))
    await ask(scene.home, `PUT /agents/ai-chips/memory/${path}`, { text });
  for (const trigger of [
    { type: "scheduled", config: { cron: "0 9 * * 1-5", zone: "Europe/Berlin" }, action: "Read the news" },
    { type: "on_event", config: { pattern: "node.completed" }, action: "Look at what landed" },
  ])
    await ask(scene.home, "POST /agents/ai-chips/triggers", trigger);
  await inEveryLook(folder, scene.home, "/app/needs-you", async ({ page, shoot, visit }) => {
    await page.locator(".it").nth(3).waitFor();
    for (const [name, path] of Object.entries(pages)) {
      await visit(path);
      await shoot(name);
    }
    await page.locator("body").press("?");
    await shoot("keys");
  });
  await takeTeam(folder);
}

async function takeTeam(folder: string): Promise<void> {
  const cast = await createCast(chips, 0);
  const home = newFolder({ "config.yaml": cast.config });
  await upAndReady(home);
  await ask(home, "POST /agents", { goal: cast.goal, name: "landscape", budget: { usd: 6 } });
  await inEveryLook(folder, home, "/app/needs-you", async ({ page, shoot, visit }) => {
    await page.getByRole("button", { name: /One page/ }).waitFor();
    await shoot("team-needs-you");
    await page.getByRole("button", { name: /One page/ }).click();
    await page.getByRole("button", { name: "Answer" }).click();
    await shoot("team-held");
    await page.getByRole("button", { name: "Undo" }).click();
    await visit("/app/agents/landscape/cost");
    await shoot("team-cost");
    await page.getByRole("button", { name: /Run r1/ }).click();
    await page.locator(".co").evaluate((main) => main.scrollTo(0, 10_000));
    await shoot("team-cost-end");
    await page.keyboard.press("ControlOrMeta+k");
    await shoot("palette-empty");
    await page.keyboard.type("amd");
    await shoot("palette");
    await page.keyboard.press("Escape");
    await page.keyboard.press("ControlOrMeta+.");
    await shoot("stop");
  });
}

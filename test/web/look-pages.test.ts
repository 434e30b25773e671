/** LOOK=folder npx vitest run test/web/look-pages.test.ts: pictures of Needs you, Files, Memory, Cost, Triggers and Settings, to be looked at. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { ask, upAndReady } from "../daemon.ts";
import { newFolder } from "../program.ts";
import { createCast } from "./cast.ts";
import { openScene, putFiles, withApproval, withQuestion } from "./scene.ts";
import { chips } from "./teams.ts";
import { hasBrowser, openWindow } from "./window.ts";

const folder = process.env.LOOK;
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

test.skipIf(!folder || !hasBrowser)(
  "pictures of the pages",
  async () => {
    mkdirSync(folder!, { recursive: true });
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
    await ask(scene.home, "POST /agents/ai-chips/triggers", {
      type: "scheduled",
      config: { cron: "0 9 * * 1-5", zone: "Europe/Berlin" },
      action: "Read the news",
    });
    await ask(scene.home, "POST /agents/ai-chips/triggers", {
      type: "on_event",
      config: { pattern: "node.completed" },
      action: "Look at what landed",
    });
    const pages: [string, string][] = [
      ["needs-you", "/app/needs-you"],
      ["files", "/app/agents/ai-chips/files"],
      ["files-csv", "/app/agents/ai-chips/files#documents/prices.csv"],
      ["files-html", "/app/agents/ai-chips/files#nodes/n1-vendors/published/report.html"],
      ["files-json", "/app/agents/ai-chips/files#nodes/n1-vendors/published/data.json"],
      ["files-py", "/app/agents/ai-chips/files#nodes/n1-vendors/published/price.py"],
      ["memory", "/app/agents/ai-chips/memory"],
      ["cost", "/app/agents/ai-chips/cost"],
      ["triggers", "/app/agents/ai-chips/triggers"],
      ["settings", "/app/settings"],
    ];
    for (const [look, options] of [
      ["light", {}],
      ["dark", { theme: "dark" }],
      ["phone", { phone: true }],
    ] as const) {
      const { page, misdeeds } = await openWindow(scene.home, { ...options, path: "/app/needs-you" });
      await page.waitForTimeout(500);
      for (const [name, path] of pages) {
        await page.goto(new URL(path, page.url()).href);
        await page.waitForTimeout(700);
        await page.screenshot({ path: join(folder!, `${name}-${look}.png`) });
      }
      console.log(look, misdeeds);
    }
  },
  180_000,
);

test.skipIf(!folder || !hasBrowser)(
  "pictures of a team: needs you with what waits behind it, cost, the palette, stop, an answer that is held",
  async () => {
    mkdirSync(folder!, { recursive: true });
    const cast = await createCast(chips);
    const home = newFolder({ "config.yaml": cast.config });
    await upAndReady(home);
    await ask(home, "POST /agents", { goal: cast.goal, name: "landscape", budget: { usd: 6 } });
    await new Promise((resolve) => setTimeout(resolve, 4000));
    for (const [look, options] of [
      ["light", {}],
      ["dark", { theme: "dark" }],
      ["phone", { phone: true }],
    ] as const) {
      const { page, misdeeds } = await openWindow(home, { ...options, path: "/app/needs-you" });
      const shoot = async (name: string) => {
        await page.waitForTimeout(600);
        await page.screenshot({ path: join(folder!, `team-${name}-${look}.png`) });
      };
      await shoot("needs-you");
      await page.getByRole("button", { name: /One page/ }).click();
      await page.getByRole("button", { name: "Answer" }).click();
      await shoot("held");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.goto(new URL("/app/agents/landscape/cost", page.url()).href);
      await shoot("cost");
      await page.getByRole("button", { name: /Run r1/ }).click();
      await page.locator(".co").evaluate((one) => one.scrollTo(0, 10_000));
      await shoot("cost-end");
      await page.keyboard.press("ControlOrMeta+k");
      await shoot("palette-empty");
      await page.keyboard.type("amd");
      await shoot("palette");
      await page.keyboard.press("Escape");
      await page.keyboard.press("ControlOrMeta+.");
      await shoot("stop");
      console.log(look, misdeeds);
    }
  },
  180_000,
);

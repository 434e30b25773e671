/** LOOK=folder npx vitest run test/web/look.test.ts: pictures of the pages in dark, light and on a phone, to be looked at. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { ask, upAndReady } from "../daemon.ts";
import { createLab, newFolder } from "../program.ts";
import { hasBrowser, openWindow, type WindowOptions } from "./window.ts";

const folder = process.env.LOOK;
/** Only some: LOOK_AT=talk,worker */
const only = process.env.LOOK_AT?.split(",");

const looks: Record<string, WindowOptions> = { light: {}, dark: { theme: "dark" }, phone: { phone: true } };

test.skipIf(!folder || !hasBrowser)(
  "pictures",
  async () => {
    mkdirSync(folder!, { recursive: true });
    const lab = await createLab();
    const home = newFolder({ "config.yaml": lab.config() });
    await upAndReady(home);

    async function picture(name: string, path: string, wait = 700): Promise<void> {
      if (only && !only.includes(name)) return;
      for (const [look, options] of Object.entries(looks)) {
        const { page, context, misdeeds } = await openWindow(home, { ...options, path });
        await page.waitForTimeout(wait);
        await page.screenshot({ path: join(folder!, `${name}-${look}.png`) });
        if (misdeeds.length) console.log(name, look, misdeeds);
        await context.close();
      }
    }

    await picture("first-run", "/app");
    await ask(home, "POST /agents", {
      goal: "Which database should our small team use?",
      model: "scripted/demo",
      name: "databases",
    });
    lab.play({
      say: "I found two ways. Before I go on I need to know what you prefer.",
      tool: "ask_human",
      input: {
        question:
          "Should the report cover chips sold only in China?\n\nAscend and Cambricon matter for volume, but your board cannot buy them.",
        options: ["Leave them out", "One page, public sources", "A full section"],
        default: "One page, public sources",
      },
    });
    await ask(home, "POST /agents", {
      goal: "Map the AI chip landscape for 2026: who leads in training and in inference, what an hour costs, where supply is tight.",
      name: "chips",
      budget: { usd: 6 },
    });
    await new Promise((resolve) => setTimeout(resolve, 9000));
    await picture("talk", "/app/agents/databases/talk");
    await picture("question", "/app/agents/chips/talk");
    await picture("nowhere", "/app/agents/nope/talk");
    await picture("worker", "/app/agents/databases/talk?with=ben");
    await picture("channel", "/app/agents/databases/talk?with=channel");
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    await picture("done", "/app/agents/databases/talk");
  },
  240_000,
);

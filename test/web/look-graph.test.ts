/** LOOK=folder npx vitest run test/web/look-graph.test.ts: pictures of Graph and Time, to be looked at. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { ask, upAndReady } from "../daemon.ts";
import { newFolder, root } from "../program.ts";
import { createCast } from "./cast.ts";
import { chips, writeBig } from "./teams.ts";
import { hasBrowser, openWindow } from "./window.ts";

const folder = process.env.LOOK;
const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");
interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

test.skipIf(!folder || !hasBrowser)(
  "pictures of the graph and of time",
  async () => {
    mkdirSync(folder!, { recursive: true });
    const cast = await createCast(chips);
    const home = newFolder({ "config.yaml": cast.config });
    writeBig(home, 500);
    await upAndReady(home);
    await ask(home, "POST /agents", { goal: cast.goal, name: "landscape", budget: { usd: 6 } });
    const shots = [
      ["light", {}],
      ["dark", { theme: "dark" }],
      ["phone", { phone: true }],
    ] as const;
    for (const [name, options] of shots) {
      const { page, misdeeds } = await openWindow(home, { ...options, path: "/app/agents/landscape/graph" });
      const shoot = async (what: string) => {
        await page.screenshot({ path: join(folder!, `${what}-${name}.png`) });
        await page.evaluate(axe);
        const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run()");
        for (const { id, impact, nodes } of violations)
          if (/serious|critical/.test(impact))
            console.log(
              what,
              name,
              id,
              nodes.map(({ html }) => html.slice(0, 160)),
            );
      };
      await page
        .locator("[data-node^=n5]")
        .first()
        .waitFor({ timeout: 6000 })
        .catch(() => undefined);
      await page.waitForTimeout(2500);
      await shoot("graph");
      await page
        .locator("[data-node^=n5]")
        .first()
        .click({ timeout: 3000 })
        .catch((error) => console.log(error.message));
      await page.waitForTimeout(500);
      await shoot("drawer");
      await page.keyboard.press("Escape");
      if (name !== "phone") {
        await page.getByRole("tab", { name: "Board" }).click();
        await page.waitForTimeout(200);
        await shoot("board");
        await page.getByRole("tab", { name: "List" }).click();
        await page.waitForTimeout(200);
        await shoot("list");
        await page.getByRole("tab", { name: "Graph" }).click();
        await page.keyboard.press("l");
      } else await page.goto(page.url().replace(/graph.*/, "time"));
      await page.waitForTimeout(1500);
      await shoot("time");
      const slider = page.getByRole("slider");
      if (await slider.count()) {
        await slider.fill("60");
        await page.waitForTimeout(600);
        await shoot("past");
      }
      await page.goto(page.url().replace(/agents.*/, "agents/chips/graph"));
      await page.waitForTimeout(1500);
      await shoot("big");
      console.log(name, misdeeds);
    }
  },
  120_000,
);

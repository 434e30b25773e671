/** LOOK=folder npx vitest run test/web/look-graph.test.ts: pictures of Graph and Time, to be looked at. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { stringify } from "yaml";
import { ask, upAndReady } from "../daemon.ts";
import { newFolder } from "../program.ts";
import { chips, writeBig } from "./teams.ts";
import { hasBrowser, openWindow } from "./window.ts";

const folder = process.env.LOOK;

test.skipIf(!folder || !hasBrowser)(
  "pictures of the graph and of time",
  async () => {
    mkdirSync(folder!, { recursive: true });
    const home = newFolder({});
    writeBig(home, 500);
    const script = join(home, "chips.yaml");
    writeFileSync(script, stringify(chips));
    await upAndReady(home);
    await ask(home, "POST /agents", {
      goal: chips.goal,
      name: "landscape",
      model: `scripted/${script}`,
      budget: { usd: 6 },
    });
    const shots = [
      ["light", {}],
      ["dark", { theme: "dark" }],
      ["phone", { phone: true }],
    ] as const;
    for (const [name, options] of shots) {
      const { page, misdeeds } = await openWindow(home, { ...options, path: "/app/agents/landscape/graph" });
      const shoot = (what: string) => page.screenshot({ path: join(folder!, `${what}-${name}.png`) });
      await page.locator("[data-node]").nth(6).waitFor();
      await page.waitForTimeout(2500);
      await shoot("graph");
      await page.locator("[data-node^=n5]").first().click();
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

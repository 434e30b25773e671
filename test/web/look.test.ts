/** LOOK=folder npx vitest run test/web/look.test.ts: pictures of the pages in dark, light and on a phone, to be looked at. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { ask, upAndReady } from "../daemon.ts";
import { createLab, newFolder } from "../program.ts";
import { hasBrowser, openWindow } from "./window.ts";

const folder = process.env.LOOK;

test.skipIf(!folder || !hasBrowser)(
  "pictures",
  async () => {
    mkdirSync(folder!, { recursive: true });
    const lab = await createLab();
    const home = newFolder({ "config.yaml": lab.config() });
    await upAndReady(home);
    for (const theme of ["light", "dark"] as const) {
      const { page } = await openWindow(home, { theme });
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(folder!, `first-run-${theme}.png`) });
    }
    lab.play({ say: "Hello" });
    await ask(home, "POST /agents", { goal: "Map the AI chip landscape", name: "chips", budget: { usd: 6 } });
    for (const [name, options] of [
      ["light", {}],
      ["dark", { theme: "dark" }],
      ["phone", { phone: true }],
    ] as const) {
      const { page, misdeeds } = await openWindow(home, options);
      await page.waitForTimeout(800);
      await page.screenshot({ path: join(folder!, `talk-${name}.png`) });
      console.log(name, misdeeds);
    }
  },
  120_000,
);

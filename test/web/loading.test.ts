/** What a window loads: not more than it needs at first, the likely pages when it is idle, and what to do when a file is gone. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { firstBundle, mostFirstBundle } from "../../scripts/first-bundle.ts";
import { ask } from "../daemon.ts";
import { openScene } from "./scene.ts";
import { hasBrowser, openWindow } from "./window.ts";

test("what must be there before anything is seen is small, and has no schemas, editor or highlighter", () => {
  const { files, size } = firstBundle(fileURLToPath(new URL("../..", import.meta.url)));
  expect([...files].filter((name) => /^(schemas|ids|editor|highlight|graph)-/.test(name))).toEqual([]);
  expect(size).toBeLessThanOrEqual(mostFirstBundle);
});

describe.skipIf(!hasBrowser)("files of the page", () => {
  async function openAgent() {
    const scene = await openScene();
    scene.lab.play({ say: "Hello." });
    await ask(scene.home, "POST /agents", { goal: "Greet", name: "greeter" });
    return scene.home;
  }

  test("pages that are likely next are loaded when the window is idle, others when they are opened", async () => {
    const { page, misdeeds } = await openWindow(await openAgent(), { path: "/app/agents/greeter/talk" });
    const loaded = () =>
      page.evaluate(() =>
        performance.getEntriesByType("resource").map(({ name }) => name.replace(/.*\/([\w-]+)-.{8}\.js$/, "$1")),
      );
    await expect.poll(loaded).toEqual(expect.arrayContaining(["talk", "graph", "time", "needs-you", "new"]));
    expect(await loaded()).not.toContain("soul");
    await page.getByRole("link", { name: "Soul" }).click();
    await expect.poll(loaded).toContain("soul");
    expect(misdeeds).toEqual([]);
  });

  for (const [what, file] of [
    ["script", /\/assets\/soul-[^/]*\.js$/],
    ["style", /\/assets\/soul-[^/]*\.css$/],
  ] as const)
    test(`a window whose page has lost a ${what} is reloaded once, then says so; it is there when the file is`, async () => {
      const { page } = await openWindow(await openAgent(), { path: "/app/agents/greeter/talk" });
      await page.getByLabel(/^Message/).waitFor();
      let [asked, loads] = [0, 0];
      page.on("load", () => loads++);
      await page.route(file, (route) => {
        asked++;
        return route.fulfill({ status: 404 });
      });
      await page.getByRole("link", { name: "Soul" }).click();
      await page.getByRole("alert").getByText("Part of this page could not be loaded").waitFor();
      expect(loads).toBe(1);
      expect(asked).toBeGreaterThan(1);
      await page.unroute(file);
      await page.getByRole("button", { name: "Reload" }).click();
      await page.getByText("SOUL.md").first().waitFor();
    });
});

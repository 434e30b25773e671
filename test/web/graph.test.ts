/** Graph and Time in a real browser, with a team that works while one looks. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { ask, upAndReady } from "../daemon.ts";
import { newFolder, root } from "../program.ts";
import { createCast } from "./cast.ts";
import { chips, writeBig } from "./teams.ts";
import { hasBrowser, openWindow } from "./window.ts";

/** Keeps where every card was first seen, and names each that was ever seen elsewhere. */
async function watchPlaces(page: Page): Promise<() => Promise<{ seen: string[]; moved: string[] }>> {
  await page.evaluate(watching);
  return () => page.evaluate("places()");
}

/** As text: the types of a document are not those of these tests. */
const watching = `
  const places = new Map();
  const moved = new Set();
  const look = () => {
    for (const card of document.querySelectorAll(".react-flow__node")) {
      const [id, at] = [card.dataset.id, card.style.transform];
      if (places.has(id) && places.get(id) !== at) moved.add(id);
      else places.set(id, at);
    }
  };
  look();
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
  globalThis.places = () => ({ seen: [...places.keys()], moved: [...moved] });
`;

describe.skipIf(!hasBrowser)("graph and time", () => {
  beforeAll(() => void execFileSync(process.execPath, ["scripts/web.ts"], { cwd: root }), 60_000);

  test("the graph grows in front of the page and nothing that is there moves; a node opens; the slider shows an earlier state", async () => {
    const cast = await createCast(join(root, "examples/demo.yaml"), 0.15);
    const home = newFolder({ "config.yaml": cast.config });
    await upAndReady(home);
    const { page, misdeeds } = await openWindow(home);
    await page.getByText("Live").waitFor();
    await ask(home, "POST /agents", { goal: cast.goal, name: "base" });
    await page.goto(page.url().replace(/app.*/, "app/agents/base/graph"));
    await page.locator("[data-node=n1-what-we-need]").waitFor();
    const places = await watchPlaces(page);
    await page.locator("[data-node^=n5-]").waitFor();
    cast.hurry();
    await page.locator("[data-node^=n8-]").waitFor();
    await page.locator("[data-node^=n7-].completed").waitFor();
    const { seen, moved } = await places();
    expect(moved).toEqual([]);
    expect(seen.length).toBeGreaterThanOrEqual(8);
    expect(Number(await page.locator("[data-kind=depends]").getAttribute("data-count"))).toBeGreaterThan(4);
    expect(await page.locator("[data-kind=spawned]").count()).toBeLessThanOrEqual(1);

    await page.locator("[data-node=n2-sqlite]").click();
    const drawer = page.getByRole("complementary", { name: "Node n2-sqlite" });
    await drawer.getByText("Hold SQLite against our list of needs").first().waitFor();
    expect(new URL(page.url()).hash).toBe("#n2-sqlite");
    await drawer.getByRole("tab", { name: /Files/ }).click();
    await drawer.getByRole("link", { name: /sqlite\.md/ }).waitFor();
    await drawer.locator(".manifest").waitFor();
    await drawer.getByRole("tab", { name: /Log/ }).click();
    await drawer.getByText("write_file").first().waitFor();
    await drawer.getByRole("tab", { name: /History/ }).click();
    await drawer.getByText("Ben began n2-sqlite").waitFor();

    await page.keyboard.press("Escape");
    await expect.poll(() => drawer.count()).toBe(0);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Node n1-what-we-need" }).waitFor();
    await page.keyboard.press("Escape");
    expect((await places()).moved).toEqual([]);

    for (const [tab, there] of [
      ["Board", ".kanban"],
      ["List", ".nlist"],
    ] as const) {
      await page.getByRole("tab", { name: tab }).click();
      await expect.poll(() => page.locator(`${there} [data-node]`).count()).toBeGreaterThanOrEqual(8);
    }

    await page.keyboard.press("l");
    await page.locator("[data-lane=ada] [data-bar=n1-what-we-need]").waitFor();
    expect(await page.locator("[data-lane]").count()).toBe(5);
    const slider = page.getByRole("slider", { name: "Event" });
    await slider.fill("45");
    const moment = page.locator(".moment[data-seq='45']");
    await moment.locator("[data-node=n1-what-we-need]").waitFor();
    expect(await moment.locator("[data-node]").count()).toBe(1);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".moment").count()).toBe(0);
    expect(misdeeds).toEqual([]);
  }, 60_000);

  test("a node that waits says why, is answered in place, and a phone begins with the list", async () => {
    const cast = await createCast(chips, 0.3);
    const home = newFolder({ "config.yaml": cast.config });
    await upAndReady(home);
    await ask(home, "POST /agents", { goal: cast.goal, name: "landscape" });
    const { page, misdeeds } = await openWindow(home, { phone: true, path: "/app/agents/landscape/graph" });
    await page.locator(".nlist [data-node^=n5-]").getByText("Asks you: Are chips").waitFor();
    await page.locator("[data-node^=n6-]").click();
    const drawer = page.getByRole("complementary", { name: /Node n6/ });
    await drawer.getByText("What it waits for").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("[data-node^=n5-]").click();
    await page.getByText("Why nothing moves here").waitFor();
    await page.getByRole("button", { name: "One page" }).click();
    await expect
      .poll(async () => (await ask(home, "GET /agents/landscape/questions")).body.items[0])
      .toMatchObject({ status: "answered", answer: "One page" });
    expect(misdeeds).toEqual([]);
  }, 60_000);

  test("five hundred nodes pan, fold and unfold with a small document, and its past is there", async () => {
    const home = newFolder({});
    writeBig(home, 500);
    await upAndReady(home);
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/chips/graph" });
    const cards = page.locator(".react-flow__node");
    await page.locator("[data-node=n500-source-500]").waitFor();
    const places = await watchPlaces(page);
    const elements = () => page.evaluate<number>(`document.querySelectorAll("*").length`);
    expect(await cards.count()).toBeLessThan(80);
    expect(await elements()).toBeLessThan(2500);
    const box = (await page.locator(".canvas").boundingBox())!;
    for (let pan = 0; pan < 6; pan++) {
      await page.mouse.move(box.x + 200, box.y + box.height - 90);
      await page.mouse.down();
      await page.mouse.move(box.x + 900, box.y + box.height - 90, { steps: 8 });
      await page.mouse.up();
    }
    await expect.poll(() => page.locator("[data-node=n500-source-500]").count()).toBe(0);
    expect(await cards.count()).toBeLessThan(80);
    expect(await elements()).toBeLessThan(2500);
    expect(await page.getByRole("switch").getAttribute("aria-checked")).toBe("false");
    const stack = page.locator("[data-stack]").first();
    const name = await stack.getAttribute("data-stack");
    await stack.click();
    await expect.poll(() => page.locator(`[data-stack=${name}]`).count()).toBe(0);
    const { seen, moved } = await places();
    expect(moved).toEqual([]);
    expect(seen.length).toBeGreaterThan(60);

    await page.keyboard.press("l");
    const slider = page.getByRole("slider", { name: "Event" });
    await slider.fill("800");
    await page.locator(".moment[data-seq='800']").waitFor();
    expect(await elements()).toBeLessThan(4500);
    expect(misdeeds).toEqual([]);
  }, 60_000);
});

/** Graph and Time in a real browser, with a team that works while one looks. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ask, serveHere } from "../daemon.ts";
import { newFolder, root } from "../program.ts";
import { createCast } from "./cast.ts";
import { chips, writeBig, writeStages } from "./teams.ts";
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

const drawerOf = (page: Page) => page.locator(".drawer.of-node");

describe.skipIf(!hasBrowser)("graph and time", () => {
  test("the graph grows in front of the page and nothing that is there moves; a node opens; the slider shows an earlier state", async () => {
    const cast = await createCast(join(root, "examples/demo.yaml"), 0.15);
    const home = newFolder({ "config.yaml": cast.config });
    await serveHere(home);
    const { page, misdeeds } = await openWindow(home);
    await page.getByText("Live").waitFor({ state: "attached" });
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
    await drawer.getByRole("region", { name: "Manifest" }).getByText("Tool calls").waitFor();
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
  });

  test("a node that waits says why, is answered in place, and a phone begins with the list", async () => {
    const cast = await createCast(chips, 0.3);
    const home = newFolder({ "config.yaml": cast.config });
    await serveHere(home);
    await ask(home, "POST /agents", { goal: cast.goal, name: "landscape" });
    const { page, misdeeds } = await openWindow(home, { phone: true, path: "/app/agents/landscape/graph" });
    await page.locator(".nlist [data-node^=n5-]").getByText("Asks you: Are chips").waitFor();
    await page.locator("[data-node^=n6-]").click();
    const drawer = page.getByRole("complementary", { name: /Node n6/ });
    await drawer.getByText("What it waits for").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("[data-node^=n5-]").click();
    await page.getByText("Why this node is waiting").waitFor();
    const answer = page.getByRole("button", { name: "One page" });
    await answer.click();
    await drawerOf(page)
      .getByText(/sent in \d s/)
      .waitFor();
    await drawerOf(page).getByRole("button", { name: "Undo" }).click();
    await answer.waitFor();
    // Nobody takes a digit for an answer who looks elsewhere.
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("1");
    expect(
      await drawerOf(page)
        .getByText(/^You: /)
        .count(),
    ).toBe(0);
    await drawerOf(page).getByRole("tab", { name: "Overview" }).focus();
    await page.keyboard.press("2");
    await drawerOf(page).getByText("You: One page").waitFor();
    expect((await ask(home, "GET /agents/landscape/questions")).body.items[0]).toMatchObject({ status: "open" });
    await page.getByRole("button", { name: "Send now" }).click();
    await expect
      .poll(async () => (await ask(home, "GET /agents/landscape/questions")).body.items[0])
      .toMatchObject({ status: "answered", answer: "One page" });
    expect(misdeeds).toEqual([]);
  });

  test("the graph's tools are there and free; words dim the rest; a suggestion becomes a node in its place; keys go from node to node", async () => {
    const cast = await createCast(chips, 0.3);
    const home = newFolder({ "config.yaml": cast.config });
    await serveHere(home);
    await ask(home, "POST /agents", { goal: cast.goal, name: "landscape" });
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/landscape/graph" });
    const asks = page.locator("[data-node^=n5-].asks");
    await asks.waitFor();
    await page.locator("[data-suggestion]").waitFor();
    const places = await watchPlaces(page);
    const halves = page.locator("[data-node=n5-cloud-silicon-tpu-trainium] .id > span");
    const [head, tail] = await halves.evaluateAll((spans) =>
      spans.map(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
    );
    expect([head, tail]).toEqual([true, false]);
    expect((await halves.last().innerText()).endsWith("trainium")).toBe(true);

    await asks.click();
    await page.getByRole("button", { name: "Copy a link" }).click();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".drawer.of-node").count()).toBe(0);
    const toast = page.locator(".toast").last();
    await toast.waitFor();
    const [said, zoom] = [(await toast.boundingBox())!, (await page.locator(".zoom").boundingBox())!];
    expect(said.y + said.height).toBeLessThanOrEqual(zoom.y);
    await page.locator(".mini").waitFor();

    const off = page.locator(".canvas .node.off");
    await page.keyboard.press("/");
    await page.keyboard.type("amd");
    await expect.poll(() => off.count()).toBe((await page.locator(".canvas .node").count()) - 1);
    expect(await page.locator("[data-node^=n4-].off").count()).toBe(0);
    await page.getByRole("group", { name: "Filter" }).getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => off.count()).toBe(0);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("group", { name: "Filter" }).count()).toBe(0);

    await page.locator("[data-node^=n6-]").hover();
    await page.locator("[data-node^=n6-].chain").waitFor();
    await page.locator("[data-node^=n4-].chain").waitFor();
    await page.mouse.move(400, 700);
    await expect.poll(() => page.locator(".node.chain").count()).toBe(0);

    const where = await page
      .locator(".react-flow__node-suggestion")
      .evaluate((card: { style: { transform: string } }) => card.style.transform);
    await page.getByRole("button", { name: "Add node" }).click();
    const added = page.locator("[data-node^=n8-]");
    await added.waitFor();
    await page.locator("[data-node^=n8-].fresh").waitFor();
    expect(
      await page
        .locator(".react-flow__node[data-id^=n8-]")
        .evaluate((card: { style: { transform: string } }) => card.style.transform),
    ).toBe(where);
    await page.locator(".node.fresh").waitFor({ state: "detached" });
    expect((await places()).moved).toEqual([]);

    await asks.click();
    await page.getByText("Holds up").waitFor();
    await page.keyboard.press("]");
    const next = page.getByRole("complementary", { name: /Node n6/ });
    await next.waitFor();
    await next.getByRole("tab", { name: "Overview" }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => next.getByRole("tab", { name: /Files/ }).getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("k");
    await page
      .getByRole("complementary", { name: /Node n5/ })
      .getByText("tpu-v7.md")
      .waitFor();

    // What a stop would end is said by the rules of the stop; Enter ends nothing.
    await page.keyboard.press("ControlOrMeta+.");
    const sheet = page.getByRole("dialog", { name: "Stop landscape" });
    const ends = sheet.getByRole("list", { name: "What ends" });
    await ends.getByText(/^\d nodes end$/).waitFor();
    await ends.getByText("Are chips that are only sold in China in?").waitFor();
    await expect
      .poll(async () => {
        const { body } = await ask(home, "GET /agents/landscape/stop");
        return (await ends.innerText()).includes(`${body.nodes.length} nodes end`);
      })
      .toBe(true);
    await sheet.getByText("Pause instead ends nothing").waitFor();
    await page.keyboard.press("Enter");
    await sheet.waitFor({ state: "hidden" });
    expect((await ask(home, "GET /agents/landscape")).body.status).not.toBe("stopped");
    await page.keyboard.press("ControlOrMeta+.");
    await sheet.getByRole("button", { name: "Stop r1" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    const { nodes } = (await ask(home, "GET /agents/landscape/board")).body;
    expect(nodes[4]).toMatchObject({ status: "cancelled" });
    expect((await ask(home, "GET /agents/landscape/questions")).body.items[0]).toMatchObject({ status: "expired" });
    expect(misdeeds).toEqual([]);
  });

  test("a stage that is done is folded for who comes later, and unfolds and folds by keys; a night is short in time", async () => {
    const home = newFolder({});
    writeStages(home);
    await serveHere(home);
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/chips/graph" });
    const stack = page.getByRole("button", { name: "Scan, 3 nodes done: unfold" });
    await stack.waitFor();
    expect(await page.locator("[data-node^=n1-]").count()).toBe(0);
    const places = await watchPlaces(page);
    await stack.focus();
    await page.keyboard.press("Enter");
    await page.locator("[data-node^=n3-]").waitFor();
    await page.getByRole("button", { name: "Fold Scan" }).focus();
    await page.keyboard.press("Enter");
    await stack.waitFor();
    expect((await places()).moved).toEqual([]);

    await page.keyboard.press("l");
    await page.locator(".hush").first().waitFor();
    await page.getByText("Events per").waitFor();
    const [scan, amd] = [page.locator("[data-bar^=n1-]"), page.locator("[data-bar^=n4-]")];
    const [left, right] = [(await scan.boundingBox())!, (await amd.boundingBox())!];
    expect(left.width).toBeGreaterThan(30);
    expect(right.width).toBeGreaterThan(100);

    await page.getByRole("button", { name: "Everyone" }).click();
    await page.getByRole("checkbox", { name: /Bob/ }).check();
    await expect.poll(() => page.locator("[data-lane]").count()).toBe(1);
    await page.keyboard.press("Escape");

    const track = (await page.locator(".track").boundingBox())!;
    await page.mouse.move(track.x + track.width * 0.3, track.y + 40);
    await page.mouse.down();
    await page.mouse.move(track.x + track.width * 0.2, track.y + 40, { steps: 3 });
    await page.mouse.up();
    await page.getByText("You are viewing the past; it is read-only.").waitFor();
    const seq = async () => Number(await page.locator(".moment").getAttribute("data-seq"));
    const before = await seq();
    await page.keyboard.press("ArrowRight");
    await expect.poll(seq).toBe(before + 1);
    await page.keyboard.press("Shift+ArrowLeft");
    await expect.poll(seq).toBeLessThan(before);
    await page.locator(".d1").getByText("reconvened").waitFor();
    await page.getByRole("button", { name: "Back to live" }).click();
    await expect.poll(() => page.locator(".moment").count()).toBe(0);
    expect(misdeeds).toEqual([]);
  });

  test("five hundred nodes pan, fold and unfold with a small document, and its past is there", async () => {
    const home = newFolder({});
    writeBig(home, 500);
    await serveHere(home);
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
  });
});

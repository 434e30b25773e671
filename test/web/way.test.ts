/** The whole way of somebody who comes for the first time: the demo to its end whatever happens meanwhile, and a team of one's own by keys alone. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ask, daemonFile, serveHere, start, upAndReady } from "../daemon.ts";
import { newFolder } from "../program.ts";
import { createCast } from "./cast.ts";
import { shed } from "./teams.ts";
import { hasBrowser, ofNoDaemon, openWindow } from "./window.ts";
import { createWire } from "./wire.ts";

/** What stands where in the thread, without the clock. */
const said = (page: Page) =>
  page
    .locator(".thread .vrow")
    .evaluateAll((rows) =>
      rows.map((row) => `${row.getAttribute("data-index")} ${row.textContent.replace(/\d\d?:\d\d/g, "")}`),
    );
const nodes = (page: Page) =>
  page.locator(".nlist [data-node]").evaluateAll((cards) => cards.map((card) => card.getAttribute("data-node")));

describe.skipIf(!hasBrowser)("the whole way", () => {
  test("first run: the demo is played to its end over a reload and a killed daemon, and nothing is lost or doubled", async () => {
    const home = newFolder({ "config.yaml": `embeddings: "off"\n` });
    const daemon = await upAndReady(home);
    const { page, context } = await openWindow(home);
    await page.getByRole("button", { name: "Play the demo" }).click();
    await page.getByText("What do we need? One step first, not ten.").waitFor();
    const other = await context.newPage();
    await other.goto(new URL("/app/agents/demo/graph", page.url()).href);
    await other.getByRole("tab", { name: "List" }).click();
    await other.locator("[data-node=n1-what-we-need]").waitFor();
    await page.reload();
    await page.getByText("The load is small. Two candidates first.").waitFor();

    const { port } = daemonFile(home)!;
    daemon.child.kill("SIGKILL");
    await daemon.ended;
    await page.getByText("Offline since").waitFor();
    await other.getByText("Offline since").waitFor();
    await start(home, ["up", "--port", String(port)]).until("ready in");
    await page.getByText("Offline since").waitFor({ state: "detached" });

    await page.getByRole("region", { name: "The answer" }).waitFor();
    await page.getByRole("region", { name: "The answer" }).getByText("PostgreSQL").first().waitFor();
    await other.locator("[data-node^=n8-]").getByRole("img", { name: "Completed" }).waitFor();
    const fresh = await context.newPage();
    await fresh.goto(page.url());
    await fresh.getByRole("region", { name: "The answer" }).waitFor();
    // Rows are drawn as they are measured.
    await expect.poll(() => said(fresh)).toEqual(await said(page));
    await fresh.goto(other.url());
    await fresh.getByRole("tab", { name: "List" }).click();
    await fresh.locator("[data-node^=n8-]").waitFor();
    expect(await nodes(other)).toEqual(await nodes(fresh));
    expect(new Set(await nodes(other)).size).toBe(8);

    await page.getByRole("region", { name: "The answer" }).getByRole("link", { name: "Files" }).click();
    await page.locator(".tr", { hasText: "_plan.md" }).click();
    await page.locator(".preview-body").getByText("Find out what we need.").waitFor();
  });

  test("by keys alone: an agent is made, its graph grows, its question is answered in place, its report is read", async () => {
    const cast = await createCast(shed, 0.5);
    const home = newFolder({ "config.yaml": cast.config });
    await serveHere(home);
    const { page, misdeeds } = await openWindow(home);
    await page.evaluate(watchMouse);
    await page.getByRole("heading", { name: "What should get done?" }).waitFor();
    await page.keyboard.type(cast.goal); // the field has the focus
    await page.getByLabel("Model").getByRole("option").first().waitFor({ state: "attached" });
    await page.keyboard.press("Enter");
    await page.waitForURL(/agents\/paint-the-shed\/talk/);
    await page.getByLabel("Message Coordinator").waitFor();
    await page.keyboard.press("Escape");
    await press(page, "g");
    await page.locator("[data-node=n1-look-at-the-wood]").waitFor();
    await page.locator("[data-node=n2-buy-paint]").waitFor();
    await page.locator("[data-node=n1-look-at-the-wood].completed").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("heading", { name: "Which colour?" }).waitFor();
    await palette(page, "@coord");
    await page.getByRole("region", { name: "Question from Bob" }).waitFor();
    await press(page, "2");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "The answer" }).waitFor();
    await page.getByRole("heading", { name: "The shed is green" }).waitFor();
    await palette(page, "#buy");
    const drawer = page.getByRole("complementary", { name: "Node n2-buy-paint" });
    await drawer.waitFor();
    await drawer.getByText("Five litres of green").first().waitFor();
    await tabTo(page, /^Overview/);
    await page.keyboard.press("End");
    await drawer.getByText("Bob began n2-buy-paint").waitFor();
    expect(await ask(home, "GET /agents/paint-the-shed/questions").then(({ body }) => body.items[0])).toMatchObject({
      answer: "Green",
    });
    expect(await page.evaluate("mouse")).toBe(0);
    expect(misdeeds).toEqual([]);
  });

  test("offline and back: a bar says so, what was written meanwhile is there once, and so is what one writes", async () => {
    const cast = await createCast(shed, 0);
    const home = newFolder({ "config.yaml": cast.config });
    await serveHere(home);
    await ask(home, "POST /agents", { goal: cast.goal, name: "shed" });
    const wire = await createWire(daemonFile(home)!.port);
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/shed/talk", port: wire.port });
    await page.getByRole("region", { name: "Question from Bob" }).waitFor();
    wire.cut();
    await page.getByText("Offline since").waitFor();
    await ask(home, "POST /agents/shed/send", { message: "Said while nobody looked" });
    await page.getByLabel("Message Coordinator").fill("Said into the void");
    await page.keyboard.press("Enter");
    const unsent = page.getByRole("article", { name: "Not sent yet" });
    await unsent.getByText("Said into the void").waitFor();
    wire.mend();
    await page.getByText("Offline since").waitFor({ state: "detached" });
    const thread = page.getByRole("log");
    await thread.getByText("Said while nobody looked").waitFor();
    await thread.getByText("Said into the void").waitFor();
    await unsent.waitFor({ state: "detached" });
    for (const words of ["Said while nobody looked", "Said into the void"])
      expect(await thread.getByText(words).count()).toBe(1);
    expect(misdeeds.filter((one) => !ofNoDaemon.test(one))).toEqual([]);
  });
});

const watchMouse = `
  globalThis.mouse = 0;
  for (const type of ["pointerdown", "pointermove", "mousedown", "mousemove", "wheel", "touchstart"])
    addEventListener(type, () => mouse++, true);
`;

/** Not into a field. */
async function press(page: Page, key: string): Promise<void> {
  await page.evaluate("document.activeElement?.blur()");
  await page.keyboard.press(key);
}

async function palette(page: Page, words: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Search" }).waitFor();
  await page.keyboard.type(words);
  await page.locator(".pal .mi.on").waitFor();
  await page.keyboard.press("Enter");
}

async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    const words = await page.evaluate<string>(
      "document.activeElement?.matches('a, button') ? document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent : ''",
    );
    if (name.test(words.trim())) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`no way leads to ${name}`);
}

/** An answer can be taken back for eight seconds: what is held, when it is sent, and what happens to it when things go wrong. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ask, daemonFile, start, upAndReady } from "../daemon.ts";
import { openScene, type Scene, withApproval, withQuestion } from "./scene.ts";
import { hasBrowser, openWindow } from "./window.ts";

const path = "/app/needs-you";
const first = async (scene: Scene, agent: string) =>
  (await ask(scene.home, `GET /agents/${agent}/questions`)).body.items[0];
const undo = (page: Page) => page.getByRole("button", { name: "Undo" });
const heading = (page: Page) => page.getByRole("heading", { name: "Which colour?" });

async function asked(up?: typeof upAndReady): Promise<Scene> {
  const scene = await openScene(up);
  await withQuestion(scene, "alpha", "Which colour?", ["Blue", "Green"]);
  return scene;
}

describe.skipIf(!hasBrowser)("an answer", () => {
  test("is held for eight seconds and comes back by undo; then it is sent, once", async () => {
    const scene = await asked();
    const { page, misdeeds } = await openWindow(scene.home, { path });
    await page.clock.install();
    await heading(page).waitFor();
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await page.getByText("continues with “Green”").waitFor();
    await page.getByText("Nothing needs you").waitFor();
    expect(await page.getByTestId("needs-count").count()).toBe(0);
    await page.clock.fastForward(5_000);
    expect(await first(scene, "alpha")).toMatchObject({ status: "open" });
    await undo(page).click();
    await heading(page).waitFor();
    await page.getByTestId("needs-count").getByText("1").waitFor();
    expect(await page.getByRole("button", { name: /Green/ }).getAttribute("aria-pressed")).toBe("true");
    await page.clock.fastForward(20_000);
    expect(await first(scene, "alpha")).toMatchObject({ status: "open" });
    // Nothing has the focus: the first Enter only brings it to what is chosen.
    await page.keyboard.press("Enter");
    expect(await undo(page).count()).toBe(0);
    await page.keyboard.press("Enter");
    await undo(page).waitFor();
    await page.clock.fastForward(8_100);
    await expect.poll(() => first(scene, "alpha")).toMatchObject({ answer: "Green" });
    await undo(page).waitFor({ state: "detached" });
    const kept = () => page.evaluate("Object.keys(localStorage).filter((one) => one.includes('held'))");
    await expect.poll(kept).toEqual([]);
    await page.getByRole("button", { name: /Decided/ }).click();
    await page.getByRole("list", { name: "Decided" }).getByText("You: Green").waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("in the thread is given by keys only where it is seen; a second Enter does not send it at once", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", `Which colour?\n\n${"A line of it.\n\n".repeat(60)}`, ["Blue", "Green"]);
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/talk" });
    await page.clock.install();
    const green = page.getByRole("button", { name: "2 Green" });
    await green.waitFor();
    const scroll = (to: string) => page.evaluate(`document.querySelector("[role=log]").scrollTop = ${to}`);
    await scroll("0");
    await expect.poll(async () => ((await green.boundingBox())?.y ?? 1e4) > 900).toBe(true);
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("Message Coordinator");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.evaluate("document.activeElement.blur()");
    await scroll("1e6");
    await expect.poll(async () => ((await green.boundingBox())?.y ?? 1e4) < 900).toBe(true);
    expect(await green.getAttribute("aria-pressed")).toBe("false");

    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    const card = page.getByRole("region", { name: "Question from Coordinator, answered" });
    await card.getByText("sent in").waitFor();
    await page.keyboard.press("Enter");
    await card.getByRole("button", { name: "Undo" }).click();
    expect(await green.getAttribute("aria-pressed")).toBe("true");
    expect(await first(scene, "alpha")).toMatchObject({ status: "open" });
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await card.getByRole("button", { name: "Send now" }).click();
    await expect.poll(() => first(scene, "alpha")).toMatchObject({ answer: "Green" });
    await page.getByRole("region", { name: "Question from Coordinator, settled" }).waitFor();
    expect(misdeeds).toEqual([]);
  });

  test.each([
    ["reloaded", async (page: Page) => void (await page.reload())],
    ["closed", async (page: Page) => page.close({ runBeforeUnload: true })],
  ])("is sent at once when its window is %s", async (_, leave) => {
    const scene = await asked();
    const { page, misdeeds } = await openWindow(scene.home, { path });
    await heading(page).waitFor();
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await undo(page).waitFor();
    await leave(page);
    await expect.poll(() => first(scene, "alpha")).toMatchObject({ answer: "Blue" });
    expect(misdeeds).toEqual([]);
  });

  test("of a window that was lost is sent by the next one, with the same key", async () => {
    const scene = await asked();
    const { page, context } = await openWindow(scene.home, { path });
    await heading(page).waitFor();
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await undo(page).waitFor();
    const address = page.url();
    const crashed = page.waitForEvent("crash");
    void page.goto("chrome://crash").catch(() => undefined);
    await crashed;
    await page.close();
    expect(await first(scene, "alpha")).toMatchObject({ status: "open" });
    const next = await context.newPage();
    await next.clock.install();
    await next.goto(address);
    await next.getByText("continues with “Green”").waitFor();
    await next.clock.fastForward(12_000);
    await expect.poll(() => first(scene, "alpha")).toMatchObject({ answer: "Green" });
    await undo(next).waitFor({ state: "detached" });
  });

  test("of two windows the first counts, and the second is told that it is too late", async () => {
    const scene = await asked();
    const [one, two] = [await openWindow(scene.home, { path }), await openWindow(scene.home, { path })];
    for (const { page } of [one, two]) await heading(page).waitFor();
    await one.page.keyboard.press("1");
    await one.page.keyboard.press("Enter");
    await undo(one.page).waitFor();
    expect(await heading(two.page).count()).toBe(1);
    await two.page.keyboard.press("2");
    await two.page.keyboard.press("Enter");
    await two.page.getByRole("button", { name: "Send now" }).click();
    await one.page.getByText("Too late: Coordinator already has an answer, “Green”.").waitFor();
    await undo(one.page).waitFor({ state: "detached" });
    expect(await first(scene, "alpha")).toMatchObject({ answer: "Green" });
    expect([...one.misdeeds, ...two.misdeeds]).toEqual([]);
  });

  test("without a daemon is kept, says so, and is sent when it is back", async () => {
    const scene = await asked(upAndReady);
    const { page } = await openWindow(scene.home, { path });
    await page.clock.install();
    await heading(page).waitFor();
    const { port, pid } = daemonFile(scene.home)!;
    process.kill(pid, "SIGKILL");
    await page.getByText("Offline since").waitFor();
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await undo(page).waitFor();
    await page.clock.fastForward(8_100);
    await page.getByText("Kept here; it is sent when the daemon is back.").waitFor();
    const next = start(scene.home, ["up", "--port", String(port)]);
    await next.until("ready in");
    await expect.poll(() => first(scene, "alpha")).toMatchObject({ answer: "Green" });
    await page.getByText("Kept here").waitFor({ state: "detached" });
  });

  test("to several calls at once is taken back at once, and each that was given before it as well", async () => {
    const scene = await openScene();
    for (const name of ["one", "two", "three", "four"])
      await withApproval(scene, name, { path: `${name}.txt`, content: "hello" });
    const { page, misdeeds } = await openWindow(scene.home, { path });
    const row = (name: string) => page.locator(".it", { hasText: `Write ${name}.txt` });
    // The list is whole: a row that comes in above another moves it from under the pointer, and neither is clicked then.
    for (const name of ["one", "two", "three", "four"]) await row(name).waitFor();
    // Time goes on only when we say so: nothing is sent meanwhile.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    /** A row leaves a moment after the page has drawn that it goes, so time passes while we look, and not before. */
    const until = (count: () => Promise<number>, wanted: number) =>
      expect.poll(() => page.clock.runFor(100).then(count)).toBe(wanted);
    for (const name of ["three", "four"]) {
      await row(name).click();
      await page.locator(".ny-stage", { hasText: `${name}.txt` }).waitFor();
      await page.keyboard.press("y");
      await until(() => row(name).count(), 0);
    }
    await page.getByRole("button", { name: "Select all" }).click();
    await page.locator("body").press("a");
    await page.getByText("2 calls approved").waitFor();
    await until(() => undo(page).count(), 3);
    for (const left of [2, 1, 0]) {
      await undo(page).first().click();
      await until(() => undo(page).count(), left);
    }
    await row("two").waitFor();
    await page.getByTestId("needs-count").getByText("4").waitFor();
    for (const name of ["one", "two", "three", "four"])
      expect((await ask(scene.home, `GET /agents/${name}/approvals`)).body.items[0]).toMatchObject({ status: "open" });
    expect(misdeeds).toEqual([]);
  });
});

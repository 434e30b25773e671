/** What is around the pages, and what they count: the sidebar, toasts, notifications, the palette, stop; cost over runs; windows that are let in. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { serve } from "../../src/backend/server.test-help.ts";
import { ask, serveHere } from "../daemon.ts";
import { newFolder } from "../program.ts";
import { openScene, putFiles, withQuestion } from "./scene.ts";
import { hasBrowser, openWindow } from "./window.ts";

describe.skipIf(!hasBrowser)("around the pages", () => {
  test("the count is what the queue lists, a standstill too, and goes down with what is put off", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?", ["Blue", "Green"]);
    scene.lab.play({ say: "One" });
    await ask(scene.home, "POST /agents", { goal: "Count", name: "counter", budget: { turns: 1 } });
    await ask(scene.home, "POST /agents/counter/send", { message: "On?" });
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/needs-you" });
    await page.locator(".it", { hasText: "counter has used up its budget" }).waitFor();
    await page.getByText("2 things").waitFor();
    const count = page.getByTestId("needs-count");
    await expect.poll(() => count.textContent()).toBe("2");
    expect(await page.locator(".it").count()).toBe(2);
    await page.keyboard.press("s");
    await page.getByText("1 thing", { exact: true }).waitFor();
    await expect.poll(() => count.textContent()).toBe("1");
    expect(misdeeds).toEqual([]);
  });

  test("a toast is of another agent than the one that is looked at, and never over what one sends with", async () => {
    const scene = await openScene();
    scene.lab.play({ say: "Hello." });
    await ask(scene.home, "POST /agents", { goal: "Greet", name: "greeter" });
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/greeter/graph" });
    await page.getByText("Live").waitFor();
    scene.lab.play({ tool: "ask_human", input: { question: "Here?" } });
    await ask(scene.home, "POST /agents/greeter/send", { message: "Ask me" });
    await page.getByTestId("needs-count").getByText("1").waitFor();
    expect(await page.locator(".toast").count()).toBe(0);
    await page.setViewportSize({ width: 900, height: 700 });
    await page.keyboard.press("t");
    await page.getByRole("button", { name: "Send" }).waitFor();
    await withQuestion(scene, "other", "There?");
    const toast = page.locator(".toast", { hasText: "Coordinator of other asks you" });
    await toast.waitFor();
    const [a, b] = [(await toast.boundingBox())!, (await page.locator(".composer").boundingBox())!];
    expect(a.y + a.height <= b.y || a.x >= b.x + b.width).toBe(true);
    expect(misdeeds).toEqual([]);
  });

  test("an endpoint that does not answer is one notice with what to do; meanwhile nobody looks as if at work", async () => {
    const model = await serve();
    let answer: [status: number, headers: Record<string, string>, body: string] = [503, { "retry-after": "50" }, ""];
    model.answer((_, response) => response.writeHead(answer[0], answer[1]).end(answer[2]));
    const config = `model: lab/test\nembeddings: "off"\nproviders:\n  lab:\n    base_url: ${model.url}\n`;
    const home = newFolder({ "config.yaml": config });
    await serveHere(home);
    await ask(home, "POST /agents", { goal: "Wait", name: "waiter" });
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/waiter/talk" });
    await page.getByRole("note").getByText("fail for Coordinator, once so far").waitFor();
    await page.locator(".grp-h", { hasText: "waiter" }).getByLabel("A call failed; retrying").waitFor();
    expect(await page.locator(".side .spin").count()).toBe(0);
    // One that is refused for good: it stands still, with the way out beside it.
    answer = [401, {}, '{"error":{"message":"wrong key"}}'];
    await ask(home, "POST /agents", { goal: "Ask", name: "asker" });
    await page.goto(page.url().replace("waiter", "asker"));
    const note = page.getByRole("note").filter({ hasText: "Paused, because calls to" });
    await note.getByRole("button", { name: "Try again" }).waitFor();
    expect(await page.locator(".trouble").count()).toBe(1);
    const chunk = (choices: object[]) =>
      `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "test", choices })}\n\n`;
    const said = chunk([{ index: 0, delta: { role: "assistant", content: "Here I am." }, finish_reason: "stop" }]);
    answer = [200, { "content-type": "text/event-stream" }, `${said}data: [DONE]\n\n`];
    await note.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Here I am.").waitFor();
    await page.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
    expect(await page.locator(".trouble").count()).toBe(1);
    expect(misdeeds).toEqual([]);
  });

  test("notifications are asked for when they are switched on, told while one looks elsewhere, and off again", async () => {
    const scene = await openScene();
    const { page, context, misdeeds } = await openWindow(scene.home, { path: "/app/settings" });
    await context.addInitScript(`
      window.told = [];
      window.Notification = class { static permission = "default";
        static async requestPermission() { Notification.asked = true; return (Notification.permission = "granted"); }
        constructor(title) { told.push(title); } };
      Object.defineProperty(document, "visibilityState", { get: () => window.away ? "hidden" : "visible" });
    `);
    await page.reload();
    const toggle = page.getByRole("switch", { name: "Notifications" });
    await toggle.waitFor();
    expect(await page.evaluate("Notification.asked")).toBeUndefined();
    await page.evaluate("window.away = true");
    await withQuestion(scene, "one", "First?");
    await page.getByText("Coordinator of one asks you").waitFor();
    await toggle.click();
    await expect.poll(() => toggle.getAttribute("aria-checked")).toBe("true");
    await withQuestion(scene, "two", "Second?");
    await expect.poll(() => page.evaluate("told")).toEqual(["Coordinator of two asks you"]);
    await toggle.click();
    await expect.poll(() => toggle.getAttribute("aria-checked")).toBe("false");
    await withQuestion(scene, "three", "Third?");
    await page.getByText("Coordinator of three asks you").waitFor();
    expect(await page.evaluate("told")).toHaveLength(1);
    expect(misdeeds).toEqual([]);
  });

  test("the palette finds over all agents and remembers; stop says what it does, and the other browsers are shut out", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    await withQuestion(scene, "beta", "Which size?");
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/cost" });
    const other = await openWindow(scene.home, { path: "/app/needs-you" });
    await page.getByRole("heading", { name: "Cost", exact: true }).waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    await page.keyboard.type("@beta");
    await page.getByRole("option", { name: /Coordinator.*beta/ }).click();
    await expect.poll(() => page.url()).toContain("/agents/beta/talk");
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("group", { name: "Recent" }).getByRole("option", { name: /beta/ }).waitFor();
    // It asks, and has come to rest since.
    await expect
      .poll(async () => JSON.stringify((await ask(scene.home, "GET /agents/beta/stop")).body))
      .toContain("nothing is interrupted");
    await page.keyboard.type(">stop");
    await page.getByRole("option", { name: /^Stop/, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    const sheet = page.getByRole("dialog", { name: "Stop beta" });
    await sheet.getByText("Nobody is working, so nothing is interrupted").waitFor();
    await sheet.getByText("1 question of the coordinator").waitFor();
    // It goes along with what happens meanwhile: the question is answered, and nothing is open any more.
    scene.lab.play({ say: "Thank you." });
    await ask(scene.home, "POST /agents/beta/respond", { response: "Large" });
    await sheet.getByText("1 question of the coordinator").waitFor({ state: "detached" });
    await sheet.getByText("Nobody is working, so nothing is interrupted").waitFor();
    await sheet.getByRole("button", { name: "Keep going" }).click();
    await page.keyboard.press("ControlOrMeta+.");
    await sheet.getByRole("button", { name: "Pause instead" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await page.getByRole("button", { name: "All keys" }).click();
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Settings" }).click();
    const windows = page.getByRole("region", { name: "Sessions" });
    await windows.getByText(/^Chrome.* \d+ on \S.*this one$/).waitFor();
    expect(await windows.innerText()).toMatch(/last seen now[\s\S]*last seen \d+ s ago/);
    // The page has stopped growing.
    await page.getByRole("button", { name: "Look again" }).waitFor();
    await page.getByRole("button", { name: /^End session of Chrome/ }).click();
    await page.getByRole("button", { name: /^End session/ }).waitFor({ state: "detached" });
    await other.page.reload();
    await other.page.getByRole("heading", { name: "You are not signed in" }).waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("the palette finds words in files, messages and memory of the agent at hand, from three letters on, by keys", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    putFiles(scene, "alpha", { "documents/rates.md": "# Rates\n\nA zebra costs nine.\n" });
    await ask(scene.home, "PUT /agents/alpha/memory/animals.md", { text: "# Animals\n\nThe zebra sleeps at noon.\n" });
    await ask(scene.home, "POST /agents/alpha/send", { message: "Think of the **zebra**, please" });
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/cost" });
    await page.getByRole("heading", { name: "Cost", exact: true }).waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.keyboard.type("ze");
    await page.getByText("No matches.").waitFor();
    await page.keyboard.type("bra");
    const group = (name: string) => page.getByRole("group", { name });
    await group("Files")
      .getByRole("option", { name: /rates\.md.*A zebra costs nine/ })
      .waitFor();
    await group("Messages")
      .getByRole("option", { name: /You.*Think of the zebra, please/ })
      .waitFor();
    await group("Memory")
      .getByRole("option", { name: /zebra sleeps at noon/ })
      .waitFor();
    expect(asked.filter((one) => one.includes("/find")).map((one) => new URL(one).searchParams.get("query"))).toEqual([
      "zebra",
    ]);
    expect(await page.locator("#pal-list [aria-selected=true]").innerText()).toContain("rates.md");
    await page.keyboard.press("ArrowDown");
    expect(await page.locator("#pal-list [aria-selected=true]").innerText()).toContain("You");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("/agents/alpha/files#documents/rates.md");
    await page.getByText("A zebra costs nine.").first().waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("cost is told by run, past ones too, by model and worker, in a table and as a file", async () => {
    const scene = await openScene();
    scene.lab.play({ tool: "finish", input: { summary: "Done." } });
    await ask(scene.home, "POST /agents", { goal: "Be done", name: "alpha" });
    const status = async () => (await ask(scene.home, "GET /agents/alpha")).body.status;
    await expect.poll(status).toBe("completed");
    scene.lab.play({ tool: "ask_human", input: { question: "Again?" } });
    await ask(scene.home, "POST /agents/alpha/runs", { goal: "Once more" });
    await scene.asked("alpha");
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/cost" });
    const runs = page.getByRole("region", { name: "Table per run" });
    await runs.getByText("r2").waitFor();
    await runs.getByText("r1").waitFor();
    await page.getByText("Nobody knows the price of lab/test").waitFor();
    await page.getByRole("button", { name: "Run r2" }).click();
    const table = page.getByRole("table", { name: /per run and model/ });
    expect(await table.getByRole("row").count()).toBe(3);
    expect(await table.getByRole("columnheader").allTextContents()).toEqual(["Run", "lab/test", "Tokens"]);
    await page.getByLabel("Which run").selectOption("r1");
    await page.getByRole("region", { name: "Per worker" }).getByText("in r1").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    const lines = readFileSync(await (await download).path(), "utf8")
      .trim()
      .split("\r\n");
    expect(lines[0]).toMatch(/^run,day,worker,node,model,/);
    expect(lines.slice(1).every((line) => line.startsWith("r1,"))).toBe(true);
    expect(lines.length).toBeGreaterThan(1);
    expect(misdeeds).toEqual([]);
  });

  test("a trigger that was cancelled is set again, by undo or later", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    await ask(scene.home, "POST /agents/alpha/triggers", {
      ...{ type: "scheduled", config: { cron: "0 9 * * 1-5", zone: "Europe/Berlin" }, action: "Look" },
    });
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/triggers" });
    await page.getByText("Weekdays at 09:00, Europe/Berlin").waitFor();
    await page.getByText(/\d\d:\d\d, in /).waitFor();
    await page.getByRole("button", { name: /^Cancel/ }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: /^Cancel/ }).click();
    await page
      .getByRole("button", { name: /^Set again/ })
      .first()
      .click();
    const statuses = async () =>
      (await ask(scene.home, "GET /agents/alpha/triggers")).body.items.map(({ status }: { status: string }) => status);
    await expect.poll(statuses).toEqual(["cancelled", "cancelled", "active"]);
    await page.getByRole("button", { name: /^Cancel/ }).waitFor();
    expect(misdeeds).toEqual([]);
  });
});

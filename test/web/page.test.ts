/** The page for people, in a real Chromium at a real daemon with a model that plays what the test says. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { serve } from "../../src/backend/server.test-help.ts";
import { ask, daemonFile, serveHere, start, upAndReady } from "../daemon.ts";
import { createLab, newFolder, plainEnv, type Step } from "../program.ts";
import { findings } from "./findings.ts";
import { hasBrowser, openWindow } from "./window.ts";

/** A browser on a machine that others use as well takes its time. */

const question: Step = {
  say: "Before I go on I need to know.",
  tool: "ask_human",
  input: { question: "Which colour?", options: ["Blue", "Green"] },
};

async function house<T>(up: (home: string) => Promise<T>) {
  const lab = await createLab();
  const home = newFolder({ "config.yaml": lab.config() });
  return { lab, home, daemon: await up(home) };
}

describe.skipIf(!hasBrowser)("the page", () => {
  test("first run: says what was found; create an agent, answer its question, read the answer", async () => {
    const { lab, home } = await house(serveHere);
    lab.play(question, { tool: "finish", input: { summary: "# Blue it is\n\nPainted **all of it**." } });
    const { page, misdeeds } = await openWindow(home);
    await page.getByRole("heading", { name: "What should get done?" }).waitFor();
    await page.getByText("Found on this machine").waitFor();
    expect(page.url()).not.toContain("code");
    await page.getByLabel("Goal").fill("Paint the shed");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("region", { name: "Question from Coordinator" }).waitFor();
    await page.getByTestId("needs-count").getByText("1").waitFor();
    await page.locator("body").press("1");
    await page.locator("body").press("Enter");
    await page.getByRole("button", { name: "Send now" }).first().click();
    await page.getByRole("heading", { name: "Blue it is" }).waitFor();
    expect(await page.getByText("all of it").evaluate((element) => element.tagName)).toBe("STRONG");
    expect(await page.getByTestId("needs-count").count()).toBe(0);
    expect((await ask(home, "GET /agents/paint-the-shed/questions")).body.items[0]).toMatchObject({ answer: "Blue" });
    expect(misdeeds).toEqual([]);
  });

  test("what was said before a reload is there after it, once; a draft is kept", async () => {
    const { lab, home } = await house(serveHere);
    lab.play(question, { say: "Green, then." });
    await ask(home, "POST /agents", { goal: "Paint the shed", name: "painter" });
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/painter/talk" });
    await page.getByRole("region", { name: "Question from Coordinator" }).waitFor();
    await page.getByLabel("Message Coordinator").fill("a thought that is not");
    await page.reload();
    await page.getByRole("region", { name: "Question from Coordinator" }).waitFor();
    expect(await page.getByText("Before I go on I need to know.").count()).toBe(1);
    expect(await page.getByLabel("Message Coordinator").inputValue()).toBe("a thought that is not");
    await page.getByRole("button", { name: "2 Green" }).click();
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("button", { name: "Send now" }).first().click();
    await page.getByText("Green, then.").waitFor();
    expect(await page.getByText("Green, then.").count()).toBe(1);
    expect(misdeeds).toEqual([]);
  });

  test("over a restart of the daemon the window goes on: it says that it is offline, then all is there once", async () => {
    const { lab, home, daemon } = await house(upAndReady);
    lab.play(question, { say: "Blue, after all." });
    await ask(home, "POST /agents", { goal: "Paint the shed", name: "painter" });
    const { page } = await openWindow(home, { path: "/app/agents/painter/talk" });
    await page.getByRole("region", { name: "Question from Coordinator" }).waitFor();
    const { port } = daemonFile(home)!;
    daemon.child.kill("SIGKILL");
    await daemon.ended;
    await page.getByText("Offline since").waitFor();
    const next = start(home, ["up", "--port", String(port)]);
    await next.until("ready in");
    await page.getByText("Offline since").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "1 Blue" }).click();
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("button", { name: "Send now" }).first().click();
    await page.getByText("Blue, after all.").waitFor();
    expect(await page.getByText("Blue, after all.").count()).toBe(1);
    expect(await page.getByText("Before I go on I need to know.").count()).toBe(1);
  });

  test("two windows are in step: what is said in one is in the other", async () => {
    const { lab, home } = await house(serveHere);
    lab.play({ say: "Hello to both." });
    await ask(home, "POST /agents", { goal: "Greet", name: "greeter" });
    const path = "/app/agents/greeter/talk";
    const [one, two] = [await openWindow(home, { path }), await openWindow(home, { path })];
    await one.page.getByText("Hello to both.").waitFor();
    lab.play({ say: "Still here." });
    await one.page.getByLabel("Message Coordinator").fill("are you there?");
    await one.page.getByRole("button", { name: "Send" }).click();
    await two.page.getByText("are you there?").waitFor();
    await two.page.getByText("Still here.").waitFor();
    expect(await one.page.getByLabel("Message Coordinator").inputValue()).toBe("");
    expect([...one.misdeeds, ...two.misdeeds]).toEqual([]);
  });

  test("T11 T13 whatever a goal, a name or a message says, it is text: nothing runs, nothing is loaded", async () => {
    const { lab, home } = await house(serveHere);
    const evil = [
      "<script>alert(1)</script>",
      "<img src=x onerror=alert(2)>",
      "[click](javascript:alert(3))",
      "![x](https://evil.example/track.png)",
      "<iframe src=https://evil.example></iframe>",
      "<svg onload=alert(4)>",
      "[a](data:text/html,<script>alert(5)</script>)",
      "<style>*{display:none}</style>",
    ].join("\n\n");
    lab.play({ say: evil, tool: "ask_human", input: { question: evil, options: ["<b>one</b>", "two"] } });
    await ask(home, "POST /agents", { goal: evil, name: "evil" });
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/evil/talk" });
    await page.getByText("<b>one</b>").waitFor();
    expect(await page.getByText("<script>alert(1)</script>").count()).toBeGreaterThanOrEqual(3);
    expect(await page.locator("article script, article img, article iframe, article style").count()).toBe(0);
    const hrefs = await page
      .locator("article a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    expect(hrefs.filter((href) => /^(javascript|data):/i.test(href ?? ""))).toEqual([]);
    await page.getByRole("button", { name: "1 <b>one</b>" }).click();
    expect(misdeeds).toEqual([]);
  });

  test("T12 text of workers, tools, files and answers is text as well", async () => {
    const { lab, home } = await house(serveHere);
    const evil = (n: number) => `<img src=https://evil.example/${n} onerror=alert(${n})><script>alert(${n})</script>`;
    lab.play(
      { tool: "spawn_worker", input: { name: "Eve <b>", role: evil(1) } },
      { say: evil(2), tool: "write_plan", input: { content: evil(3) } },
      { tool: "send_message", input: { to: "human", content: evil(4) } },
      { tool: "no_such_tool", input: { [evil(5)]: evil(6) } },
      { tool: "finish", input: { summary: `# ${evil(7)}\n\n| a |\n|---|\n| ${evil(8)} |` } },
    );
    await ask(home, "POST /agents", { goal: "Be evil", name: "evil" });
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/evil/talk" });
    await page.getByRole("region", { name: "The answer" }).waitFor();
    for (const call of await page.locator("button.call").all()) await call.click();
    await page.getByText("alert(3)").first().waitFor();
    expect(await page.getByText("alert(8)").count()).toBeGreaterThan(0);
    expect(await page.locator("#root script, #root img, #root iframe").count()).toBe(0);
    await page.getByRole("link", { name: "Channel" }).first().click();
    await page.getByText("alert(4)").first().waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("a question that comes while one looks elsewhere is said, counted in the title, and gone when it is answered", async () => {
    const { lab, home } = await house(serveHere);
    const { page, misdeeds } = await openWindow(home, { path: "/app/settings" });
    await page.getByText("Live").waitFor();
    lab.play(question, { say: "Fine." });
    await ask(home, "POST /agents", { goal: "Paint the shed", name: "painter" });
    await page.getByText("Coordinator of painter asks you").waitFor();
    await expect.poll(() => page.title()).toBe("(1) Agiraph");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("button", { name: "1 Blue" }).click();
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("button", { name: "Send now" }).first().click();
    await page.getByText("Fine.").waitFor();
    await expect.poll(() => page.title()).toBe("Agiraph");
    expect(misdeeds).toEqual([]);
  });

  test("a window without a key sees nothing and says how to get one", async () => {
    const { home } = await house(upAndReady);
    const { page } = await openWindow(home);
    await page.getByRole("heading", { name: "What should get done?" }).waitFor();
    await page.evaluate("localStorage.clear()");
    await page.reload();
    await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
    // As it stands there, typed in a terminal anywhere.
    const typed = await page.locator(".closed pre").innerText();
    expect(typed).toMatch(/ open$/);
    const { stdout } = spawnSync("sh", ["-c", typed], { cwd: "/", env: plainEnv(), encoding: "utf8" });
    await page.goto(/http:\S+#code=\w+/.exec(stdout)![0]);
    await page.getByRole("heading", { name: "What should get done?" }).waitFor();
  });

  test("words are there as they are said, and the whole once when they are over", async () => {
    const model = await serve();
    const going = Promise.withResolvers<void>();
    model.answer(async (_, response) => {
      const chunk = (delta: object, finish_reason: string | null = null) =>
        response.write(
          `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "test", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
        );
      response.writeHead(200, { "content-type": "text/event-stream" });
      chunk({ role: "assistant", content: "The first half" });
      await going.promise;
      chunk({ content: " and the second." });
      chunk({}, "stop");
      response.end("data: [DONE]\n\n");
    });
    const config = `model: lab/test\nembeddings: "off"\nproviders:\n  lab:\n    base_url: ${model.url}\n`;
    const home = newFolder({ "config.yaml": config });
    await serveHere(home);
    const { page, misdeeds } = await openWindow(home);
    await page.getByLabel("Goal").fill("Speak slowly");
    await page.getByLabel("Goal").press("Enter");
    await page.locator("article.saying").getByText("The first half").waitFor();
    going.resolve();
    await page.getByText("The first half and the second.").waitFor();
    await page.locator("article.saying").waitFor({ state: "detached" });
    expect(await page.getByText("The first half and the second.").count()).toBe(1);
    expect(misdeeds).toEqual([]);
  });

  test("on a phone one reaches every agent and everyone in it, and answers", async () => {
    const { lab, home } = await house(serveHere);
    lab.play(question, { say: "Green, then." });
    await ask(home, "POST /agents", { goal: "Paint the shed", name: "painter" });
    const { page, misdeeds } = await openWindow(home, { phone: true, path: "/app/new" });
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: /painter/ }).click();
    await page.getByRole("link", { name: /Channel/ }).click();
    await page.getByLabel("Message the channel").waitFor();
    await page.getByRole("link", { name: "Talk" }).click();
    await page.getByRole("button", { name: "2 Green" }).click();
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("button", { name: "Send now" }).first().click();
    await page.getByText("Green, then.").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(misdeeds).toEqual([]);
  });

  test("everything can be done with the keyboard, and what is shown is accessible, in the dark and in light on a phone", async () => {
    const { lab, home } = await house(serveHere);
    lab.play(question, { say: "Fine." });
    await ask(home, "POST /agents", { goal: "Paint the shed", name: "painter" });
    for (const options of [{ theme: "dark" }, { phone: true }] as const) {
      const { page, misdeeds } = await openWindow(home, { ...options, path: "/app/agents/painter/talk" });
      await page.getByRole("region", { name: "Question from Coordinator" }).waitFor();
      expect(await findings(page)).toEqual([]);
      await page.locator("body").press("c");
      await page.getByText("What should get done?").waitFor();
      await page.getByLabel("Model").waitFor();
      expect(await findings(page)).toEqual([]);
      await page.getByLabel("Goal").press("ControlOrMeta+k");
      await page.getByRole("combobox", { name: "Search" }).fill("@coord");
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: "Question from Coordinator" }).waitFor();
      await page.locator("body").press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "hidden" });
      expect(misdeeds).toEqual([]);
    }
  });
});

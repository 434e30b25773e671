/** The states of a question's card in the thread. That of one that can be taken back is in undo.test.ts. */
import { describe, expect, test } from "vitest";
import { ask } from "../daemon.ts";
import { openScene, type Scene, withApproval, withQuestion } from "./scene.ts";
import { hasBrowser, openWindow, type Window } from "./window.ts";

const talk = (agent: string) => ({ path: `/app/agents/${agent}/talk` });
const card = ({ page }: Window, how: string) =>
  page.getByRole("region", { name: `Question from Coordinator${how && `, ${how}`}`, exact: true });

async function asks(scene: Scene, name: string, more: object): Promise<void> {
  scene.lab.play({ tool: "ask_human", input: { question: "Which colour?", options: ["Blue", "Green"], ...more } });
  await ask(scene.home, "POST /agents", { goal: "Paint", name });
}

describe.skipIf(!hasBrowser)("a question in the thread", () => {
  test("that was answered says by whom, what and when; a call that was denied says why", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?", ["Blue", "Green"]);
    await withApproval(scene, "beta", { path: "a.txt", content: "hello" });
    const window = await openWindow(scene.home, talk("alpha"));
    await card(window, "").waitFor();
    await ask(scene.home, "POST /agents/alpha/respond", { response: "Green" });
    await card(window, "settled")
      .getByText(/^You: Green/)
      .waitFor();
    expect(await card(window, "settled").innerText()).toMatch(/\d\d:\d\d/);
    const [{ id }] = (await ask(scene.home, "GET /agents/beta/approvals")).body.items;
    await ask(scene.home, `POST /agents/beta/approvals/${id}`, { decision: "deny", reason: "not here" });
    await window.page.goto(window.page.url().replace("alpha", "beta"));
    await card(window, "settled").getByText("You: Denied, not here").waitFor();
    await card(window, "settled").locator(".given", { hasText: "a.txt" }).getByText("hello").waitFor();
    expect(window.misdeeds).toEqual([]);
  });

  test("whose time is over says what was taken, or that it is too late", async () => {
    const scene = await openScene();
    await asks(scene, "alpha", { default: "Green", deadline_seconds: 1 });
    const window = await openWindow(scene.home, talk("alpha"));
    await card(window, "settled").getByText("Coordinator took Green").waitFor();
    expect(await card(window, "settled").innerText()).toMatch(/no answer by \d\d:\d\d/);
    await asks(scene, "beta", { deadline_seconds: 1 });
    await window.page.goto(window.page.url().replace("alpha", "beta"));
    await card(window, "settled").getByText("Too late to answer").waitFor();
    expect(window.misdeeds).toEqual([]);
  });

  test("that was put off says until when, and is brought back", async () => {
    const scene = await openScene();
    await asks(scene, "alpha", {});
    await scene.asked("alpha");
    const window = await openWindow(scene.home, { path: "/app/needs-you" });
    const { page } = window;
    await page.getByRole("heading", { name: "Which colour?" }).waitFor();
    await page.locator("body").press("s");
    await page.getByText(/^Snoozed until/).waitFor();
    await page.goto(page.url().replace("needs-you", "agents/alpha/talk"));
    await card(window, "snoozed")
      .getByText(/^back .*at \d\d:\d\d$/)
      .waitFor();
    expect(await card(window, "").count()).toBe(0);
    await card(window, "snoozed").getByRole("button", { name: "Bring back" }).click();
    await card(window, "").getByRole("button", { name: "1 Blue" }).waitFor();
    await page.getByTestId("needs-count").getByText("1").waitFor();
    expect(window.misdeeds).toEqual([]);
  });
});

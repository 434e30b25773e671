/** Threads with a team at work: what is folded, named, new, and who is shown beside it. */
import { describe, expect, test } from "vitest";
import { ask, serveHere } from "../daemon.ts";
import { createLab, newFolder } from "../program.ts";
import { createCast } from "./cast.ts";
import { chips } from "./teams.ts";
import { hasBrowser, openWindow } from "./window.ts";

const write = (content: string) => ({ tool: "send_message", input: { to: "human", content } });

describe.skipIf(!hasBrowser)("talk", () => {
  test("what is of one kind is one line, a node's id opens the node, and a worker's thread is about that worker", async () => {
    const cast = await createCast(chips);
    const home = newFolder({ "config.yaml": cast.config });
    await serveHere(home);
    await ask(home, "POST /agents", { goal: cast.goal, name: "chips" });
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/chips/talk" });
    const thread = page.getByRole("log");
    await page.getByRole("region", { name: "Question from Carol" }).waitFor();
    expect(await page.locator(".who").innerText()).toMatch(/^C?o?ordinator\s+chips/i);

    const folded = thread.getByRole("button", { name: "Brought in 4 workers Alice and 3 more" });
    await folded.click();
    expect(await thread.getByRole("button", { name: /^Brought in (Alice|Bob|Carol|Dave)$/ }).count()).toBe(4);
    await thread.getByRole("button", { name: "Brought in Bob" }).click();
    await thread.getByText("reads", { exact: true }).waitFor();
    await folded.click();

    await thread.getByRole("button", { name: "Completed n1-vendors" }).click();
    const node = page.getByRole("complementary", { name: "Node n1-vendors" });
    await node.getByText("two sources for every number").first().waitFor();
    await page.keyboard.press("Escape");
    await node.waitFor({ state: "detached" });
    await page.getByRole("complementary", { name: "The run now" }).waitFor();

    const toggle = page.getByRole("switch", { name: "Results only" });
    await toggle.click();
    await folded.waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Question from Carol" }).waitFor();
    await thread.getByText("vendors.md").waitFor();
    await toggle.click();
    await folded.waitFor();

    // Whom the picker says it wakes gets it, wherever in the text the name stands.
    const field = page.getByLabel("Message Coordinator");
    await field.pressSequentially("Have a look, @dav");
    await page.getByRole("option", { name: /Dave/ }).waitFor();
    await field.press("Enter");
    await page.locator(".wake").getByText(/2/).waitFor();
    await field.press("Enter");
    const posted = async () =>
      (await ask(home, "GET /agents/chips/events?types=message.posted")).body.items.findLast(
        ({ actor }: { actor: string }) => actor === "human",
      )?.data;
    await expect.poll(posted).toMatchObject({ to: ["coordinator", "dave"], text: "Have a look, @Dave" });

    await page.getByRole("link", { name: /Alice/ }).first().click();
    const about = page.getByRole("complementary", { name: "About Alice" });
    await about.getByText("cast/alice").waitFor();
    expect(await about.innerText()).toMatch(/Kind\s+Harnessed[\s\S]*Nodes\s+\d done[\s\S]*vendors\.md/);
    await thread.getByText("Began").first().waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("whoever reads further up is not pulled away: a pill says what is new and leads to it", async () => {
    const long = Array.from({ length: 120 }, (_, line) => `Line ${line}`).join("\n\n");
    const cast = await createCast({
      goal: "Tell",
      participants: {
        coordinator: [
          { say: "", calls: [write(`The beginning\n\n${long}`)] },
          { seconds: 3600, calls: [write("First piece of news"), write("Second piece of news")] },
        ],
      },
    });
    const home = newFolder({ "config.yaml": cast.config });
    await serveHere(home);
    await ask(home, "POST /agents", { goal: cast.goal, name: "teller" });
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/teller/talk" });
    const thread = page.getByRole("log");
    await thread.getByText("Line 119").waitFor();
    await thread.evaluate((element) => {
      element.scrollTop = 0;
    });
    await thread.getByText("The beginning").waitFor();
    cast.hurry();
    await page.getByRole("button", { name: /^[2-9] new$/ }).click();
    await thread.getByText("Second piece of news").waitFor();
    await page.getByRole("button", { name: /new$/ }).waitFor({ state: "detached" });
    expect(misdeeds).toEqual([]);
  });

  test("a line says from where on it is new, as long as one looks, and not again", async () => {
    const lab = await createLab();
    const home = newFolder({ "config.yaml": lab.config() });
    await serveHere(home);
    lab.play({ say: "I have begun." });
    await ask(home, "POST /agents", { goal: "Report", name: "reporter" });
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/reporter/talk" });
    await page.getByText("I have begun.").waitFor();
    const line = page.locator(".sys.new");
    await expect.poll(async () => (await ask(home, "GET /agents/reporter")).body.unread).toBe(0);
    expect(await line.count()).toBe(0);
    await page.goto(page.url().replace(/app.*/, "app/settings"));
    await page.getByRole("heading", { name: "Settings" }).first().waitFor();
    lab.play({ say: "I have an answer." });
    await ask(home, "POST /agents/reporter/send", { message: "And?", wait: 20 });
    await page.goto(page.url().replace(/app.*/, "app/agents/reporter/talk"));
    await page.getByText("I have an answer.").waitFor();
    await line.waitFor();
    const rows = await page.locator(".vrow").allInnerTexts();
    expect(rows.indexOf("New") + 1).toBe(rows.findIndex((row) => row.includes("I have an answer.")));
    await expect.poll(async () => (await ask(home, "GET /agents/reporter")).body.unread).toBe(0);
    expect(await line.count()).toBe(1);
    await page.reload();
    await page.getByText("I have an answer.").waitFor();
    expect(await line.count()).toBe(0);
    expect(misdeeds).toEqual([]);
  });

  test("on a phone one writes, attaches and opens a node without anything leaving the window", async () => {
    const cast = await createCast(chips);
    const home = newFolder({ "config.yaml": cast.config });
    await serveHere(home);
    await ask(home, "POST /agents", { goal: cast.goal, name: "chips" });
    const { page, misdeeds } = await openWindow(home, { phone: true, path: "/app/agents/chips/talk" });
    await page.getByRole("region", { name: "Question from Carol" }).waitFor();
    const folded = page.getByRole("log").getByRole("button", { name: /^Brought in 4 workers/ });
    await folded.waitFor();
    await page.getByRole("switch", { name: "Results only" }).click();
    await folded.waitFor({ state: "detached" });
    await page.getByText("Only results are shown.").waitFor();
    await page.getByRole("switch", { name: "Results only" }).click();
    await folded.waitFor();
    const name = `${"a-very-long-name-of-a-file-".repeat(6)}.csv`;
    await page
      .getByLabel("Files to attach")
      .setInputFiles([{ name, mimeType: "text/csv", buffer: Buffer.from("a,b\n") }]);
    await page.getByRole("list", { name: "Attached files" }).getByText("4 B").waitFor();
    await page.getByLabel("Message Coordinator").fill("long ".repeat(60));
    const wide = () => page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(await wide()).toBe(0);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: `Open ${name}` }).waitFor();
    expect(await wide()).toBe(0);
    await page
      .getByRole("log")
      .getByRole("button", { name: /n2-prices/ })
      .first()
      .click();
    await page
      .getByRole("complementary", { name: /Node n2-prices/ })
      .getByRole("tab", { name: "Overview" })
      .waitFor();
    expect(await wide()).toBe(0);
    expect(misdeeds).toEqual([]);
  });
});

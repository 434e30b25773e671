/** Files that go with a message, and messages that cannot go yet: in a real Chromium at a real daemon. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ask, daemonFile, serveHere, start, upAndReady } from "../daemon.ts";
import { createLab, newFolder, type Step } from "../program.ts";
import { hasBrowser, openWindow } from "./window.ts";

const table = "chip,price\nH100,25000\n";
const sheet = { name: "prices.csv", mimeType: "text/csv", buffer: Buffer.from(table) };
const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** As text: the types of a document are not those of these tests. */
const pasting = `(bytes) => {
  const held = new DataTransfer();
  held.items.add(new File([new Uint8Array(bytes)], "image.png", { type: "image/png" }));
  const event = new ClipboardEvent("paste", { clipboardData: held, bubbles: true, cancelable: true });
  document.querySelector("textarea[aria-label='Message Coordinator']").dispatchEvent(event);
}`;
const dropping = `
  const held = new DataTransfer();
  held.items.add(new File([new Uint8Array(2600000)], "film.mov"));
  held.items.add(new File([], "nothing.txt"));
  for (const type of ["dragenter", "dragover", "drop"])
    document.body.dispatchEvent(new DragEvent(type, { dataTransfer: held, bubbles: true, cancelable: true }));
`;

async function house<T>(up: (home: string) => Promise<T>, ...steps: Step[]) {
  const lab = await createLab();
  const home = newFolder({ "config.yaml": lab.config() });
  const daemon = await up(home);
  lab.play(...steps);
  await ask(home, "POST /agents", { goal: "Buy chips", name: "buyer" });
  return { lab, home, daemon, path: "/app/agents/buyer/talk" };
}

describe.skipIf(!hasBrowser)("attachments", () => {
  test("a file is attached, sent, read by the model, shown as a card, opened and downloaded", async () => {
    const { lab, home, path } = await house(serveHere, { say: "What are the prices?" });
    const { page, misdeeds } = await openWindow(home, { path });
    await page.getByText("What are the prices?").waitFor();
    await page
      .getByLabel("Files to attach")
      .setInputFiles([sheet, { name: "dot.png", mimeType: "image/png", buffer: dot }]);
    const chips = page.getByRole("list", { name: "Attached files" });
    await chips.getByText("22 B").waitFor();
    await chips.getByText("70 B").waitFor();
    // They are kept with the draft.
    await page.getByLabel("Message Coordinator").fill("Here they are");
    await page.reload();
    await chips.getByText("prices.csv").waitFor();
    await page.getByRole("button", { name: "Remove dot.png" }).click();
    const id = (await ask(home, "GET /agents/buyer/resources")).body.items.find(
      (one: { title: string }) => one.title === "prices.csv",
    ).id;
    lab.play({ tool: "resource_read", input: { id } }, { say: "I have read them." });
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("I have read them.").waitFor();
    expect(await chips.count()).toBe(0);
    expect(JSON.stringify(lab.asked[0]?.messages)).toMatch(
      new RegExp(`Here they are.{1,4}\\[attached: prices.csv \\(text/csv, 22 bytes\\); the whole is resource ${id}`),
    );
    expect(lab.results().at(-1)).toContain("H100,25000");
    const said = page.locator("article", { hasText: "Here they are" });
    expect(await said.getByText("[attached").count()).toBe(0);
    await said.getByRole("button", { name: "Open prices.csv" }).click();
    await page.getByRole("cell", { name: "25000" }).waitFor();
    const coming = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download prices.csv" }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe("prices.csv");
    expect(readFileSync(await download.path(), "utf8")).toBe(table);
    expect(misdeeds).toEqual([]);
  });

  test("a pasted picture and a dropped file are attached; what is too large says what is allowed and is not sent", async () => {
    const { home, path } = await house(serveHere, { say: "Show me." });
    const { page, misdeeds } = await openWindow(home, { path });
    await page.getByText("Show me.").waitFor();
    await page.evaluate(`(${pasting})(${JSON.stringify([...dot])})`);
    await page.getByRole("list", { name: "Attached files" }).getByText("70 B").waitFor();
    await page.evaluate(dropping);
    await page.getByText("2.6 MB; 2.5 MB are allowed").waitFor();
    await page.getByText("It is empty").waitFor();
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Remove film.mov" }).click();
    await page.getByRole("button", { name: "Remove nothing.txt" }).click();
    await page.getByRole("button", { name: "Send" }).click();
    const card = page.getByRole("button", { name: "Open image.png" });
    await card.click();
    await page.getByRole("img", { name: "image.png" }).waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("what is written while the daemon is away is kept, sent when it is back, and sent once", async () => {
    const { home, daemon, path } = await house(upAndReady, { say: "Good morning." });
    const { page } = await openWindow(home, { path });
    await page.getByText("Good morning.").waitFor();
    const { port } = daemonFile(home)!;
    daemon.child.kill("SIGKILL");
    await daemon.ended;
    await page.getByText("Offline since").waitFor();
    await page.getByText("Sent when you are back").waitFor();
    await page.getByLabel("Message Coordinator").fill("a word in the dark");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Kept here, sent when you are back online").waitFor();
    const next = start(home, ["up", "--port", String(port)]);
    await next.until("ready in");
    await page.getByText("Kept here").waitFor({ state: "detached" });
    await page.locator(".thread").getByText("a word in the dark").waitFor();
    const { items } = (await ask(home, "GET /agents/buyer/conversation")).body;
    expect(items.filter(({ text }: { text: string }) => text === "a word in the dark")).toHaveLength(1);
  });

  test("what the daemon refuses says why, can be tried again and be taken back", async () => {
    const { home, path } = await house(serveHere, { say: "Good morning." });
    const { page } = await openWindow(home, { path });
    await page.getByText("Good morning.").waitFor();
    const refused = JSON.stringify({ error: { code: "wrong_state", message: "the shop is closed" } });
    await page.route("**/agents/buyer/send", (route) =>
      route.fulfill({ status: 409, contentType: "application/json", body: refused }),
    );
    await page.getByLabel("Message Coordinator").fill("two of them");
    await page.getByLabel("Message Coordinator").press("Enter");
    await page.getByText("Not sent: the shop is closed").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Not sent: the shop is closed").waitFor();
    await page.getByRole("button", { name: "Take back" }).click();
    expect(await page.getByLabel("Message Coordinator").inputValue()).toBe("two of them");
    await page.unroute("**/agents/buyer/send");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".thread").getByText("two of them").waitFor();
  });
});

/** Files and Memory in a real Chromium at a real daemon: finding, versions, seals, previews, two who edit. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ask, daemonFile, upAndReady } from "../daemon.ts";
import { newFolder, put } from "../program.ts";
import { createCast } from "./cast.ts";
import { openScene, putFiles, withQuestion } from "./scene.ts";
import { chips } from "./teams.ts";
import { hasBrowser, openWindow } from "./window.ts";

const row = (page: Page, name: string) => page.locator(".tr", { has: page.getByText(name, { exact: true }) });
/** Names the file in the address of the page, which is there already. */
async function goTo(page: Page, path: string): Promise<void> {
  await row(page, "SOUL.md").waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
}
/** Whatever is there. */
async function replace(home: string, path: string, text: string): Promise<void> {
  const { port, token } = daemonFile(home)!;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "if-match": "*" };
  const body = JSON.stringify({ text });
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { method: "PUT", headers, body });
  expect(status).toBe(200);
}
const focused = (page: Page) =>
  page.evaluate("document.activeElement.dataset.path ?? document.activeElement.className");

describe.skipIf(!hasBrowser)("files", () => {
  test("words are found in names and texts of every run, and opened at the line, by keys alone", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    const long = Array.from({ length: 3_000 }, (_, n) => `line ${n + 1}${n === 1_999 ? " LARCH <b>here</b>" : ""}`);
    putFiles(scene, "alpha", {
      "_plan.md": "# Plan\n\nPlant a larch.\n",
      "documents/larch.txt": "nothing",
      "documents/long.txt": long.join("\n"),
    });
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/files" });
    await row(page, "SOUL.md").waitFor();
    const names = await page.locator(".tr .name").allTextContents();
    expect(names.slice(0, 4)).toEqual(["SOUL.md", "GOAL.md", "r1", "_plan.md"]);
    await page.keyboard.press("/");
    await page.keyboard.type("larch");
    await page.getByText("3 files").waitFor();
    expect(await page.locator(".hit mark").allTextContents()).toEqual(["larch", "larch", "LARCH"]);
    for (let n = 0; n < 5; n++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".lns .on", { hasText: "LARCH <b>here</b>" }).waitFor();
    expect(page.url()).toContain("#r1/documents/long.txt?line=2000");
    expect(await page.locator(".lns .on").isVisible()).toBe(true);
    // Only what is looked at is drawn.
    expect(await page.locator(".lns-in > div").count()).toBeLessThan(300);
    await page.getByLabel("Find in files").fill("no such words");
    await page.getByText("Nothing found").waitFor();
    await page.getByLabel("Find in files").fill("plant a");
    await page.locator(".hit.ln", { hasText: "Plant a larch." }).click();
    await page.locator(".lns .on", { hasText: "Plant a larch." }).waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("the tree is walked by arrows and letters; what is written by hand without an event is there after a look", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    putFiles(scene, "alpha", { "documents/a.md": "a", "documents/beta.md": "b", "documents/bravo.md": "c" });
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/files" });
    await goTo(page, "SOUL.md");
    await row(page, "documents").waitFor();
    await page.getByLabel("Find in files").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("SOUL.md");
    await page.keyboard.type("d");
    expect(await focused(page)).toBe("r1/documents");
    await page.keyboard.press("ArrowRight");
    await row(page, "bravo.md").waitFor();
    await page.keyboard.press("ArrowRight");
    expect(await focused(page)).toBe("r1/documents/a.md");
    // Later letters are a new word.
    await page.clock.install();
    await page.clock.fastForward(750);
    await page.keyboard.type("br");
    expect(await focused(page)).toBe("r1/documents/bravo.md");
    await page.keyboard.press("Enter");
    await page.locator(".preview-head b", { hasText: "bravo.md" }).waitFor();
    await page.keyboard.press("ArrowLeft");
    expect(await focused(page)).toBe("r1/documents");
    await page.keyboard.press("ArrowLeft");
    expect(await row(page, "bravo.md").count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await row(page, "bravo.md").waitFor();
    putFiles(scene, "alpha", { "documents/late.md": "d" });
    await page.getByRole("button", { name: /^Reload/ }).click();
    await row(page, "late.md").waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("what was published is sealed, with its manifest and who uses it; a file that was changed is told", async () => {
    const cast = await createCast(chips, 0);
    const home = newFolder({ "config.yaml": cast.config });
    await upAndReady(home);
    await ask(home, "POST /agents", { goal: cast.goal, name: "chips" });
    const file = join(home, "agents/chips/runs/r1/nodes/n1-vendors/published/vendors.md");
    for (let tries = 0; tries < 400; tries++) {
      const { body } = await ask(home, "GET /agents/chips/questions?status=open");
      if (body.items.length) break;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/chips/files" });
    await goTo(page, "nodes/n1-vendors/published/vendors.md");
    const rail = page.getByRole("complementary", { name: "About this file" });
    await rail.getByText("All hashes match.").waitFor();
    expect(await rail.locator("dl").first().innerText()).toMatch(/Worker\s+Alice/);
    await rail.getByText("n3-nvidia-b300-price-supply").waitFor();
    await rail.getByText("n5-cloud-silicon-tpu-trainium").waitFor();
    expect(await rail.getByText("n4-amd").count()).toBe(0);
    await row(page, "published").getByText("sealed").waitFor();
    expect(
      await row(page, "n1-vendors")
        .getByRole("img", { name: /Completed|Done/ })
        .count(),
    ).toBe(1);
    chmodSync(join(file, ".."), 0o755);
    chmodSync(file, 0o644);
    writeFileSync(file, "# Other\n");
    await page.reload();
    await rail.getByText("This file is no longer what was published.").waitFor();
    put(join(home, "agents/chips/runs/r1/nodes/n6-one-table-one-method/published"), { "x.md": "# Mine\n" });
    await goTo(page, "nodes/n6-one-table-one-method/published/x.md");
    await rail.getByText("Not sealed").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download agent" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("chips.agiraph");
    expect(readFileSync(await download.path()).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    expect(misdeeds).toEqual([]);
  });

  test("older runs lie below, folded; what is in them is found, and stays as it is", async () => {
    const scene = await openScene();
    scene.lab.play(
      { tool: "finish", input: { summary: "Done." } },
      { tool: "ask_human", input: { question: "And now?" } },
    );
    await ask(scene.home, "POST /agents", { goal: "Do it", name: "alpha" });
    for (let tries = 0; tries < 400; tries++) {
      if ((await ask(scene.home, "GET /agents/alpha")).body.status === "completed") break;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    putFiles(scene, "alpha", { "documents/old.md": "# Old larch\n" });
    await ask(scene.home, "POST /agents/alpha/runs", { goal: "Once more" });
    await scene.asked("alpha");
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/files" });
    await row(page, "r2").waitFor();
    const runs = page.locator('.tr[data-path="r1"], .tr[data-path="r2"]');
    expect(await runs.evaluateAll((all) => all.map((one) => one.getAttribute("data-path")))).toEqual(["r2", "r1"]);
    expect(await row(page, "r1").getAttribute("aria-expanded")).toBe("false");
    expect(await row(page, "r2").getAttribute("aria-expanded")).toBe("true");
    await page.getByLabel("Find in files").fill("old larch");
    await page.locator(".hit.ln", { hasText: "Old larch" }).click();
    await page.locator(".preview-head b", { hasText: "old.md" }).waitFor();
    expect(page.url()).toContain("#r1/documents/old.md");
    expect(await page.getByRole("button", { name: "Edit" }).count()).toBe(0);
    expect(misdeeds).toEqual([]);
  });

  test("a document has its versions, and any two are compared", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    const at = "/agents/alpha/workspace/documents/plan.md";
    await ask(scene.home, `PUT ${at}`, { text: "# One\n\nsame\n" });
    for (const text of ["# Two\n\nsame\n", "# Three\n\nsame\n"]) await replace(scene.home, at, text);
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/files" });
    await row(page, "documents").click();
    await row(page, "plan.md").click();
    await page.getByRole("button", { name: "Changes" }).click();
    await page.locator(".df .add", { hasText: "# Three" }).waitFor();
    await page.locator(".df .del", { hasText: "# Two" }).waitFor();
    await page.getByLabel("compared with").selectOption({ index: 1 });
    await page.locator(".df .del", { hasText: "# One" }).waitFor();
    await page.getByRole("button", { name: /version 1/ }).click();
    await page.locator(".hs .lns", { hasText: "# One" }).waitFor();
    expect(misdeeds).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)("previews", () => {
  /** One second of silence. */
  function wav(): Buffer {
    const head = Buffer.alloc(44);
    head.write("RIFF", 0);
    head.writeUInt32LE(36 + 8_000, 4);
    head.write("WAVEfmt ", 8);
    for (const [at, value] of [
      [16, 16],
      [24, 8_000],
      [28, 8_000],
      [40, 8_000],
    ] as const)
      head.writeUInt32LE(value, at);
    for (const [at, value] of [
      [20, 1],
      [22, 1],
      [32, 1],
      [34, 8],
    ] as const)
      head.writeUInt16LE(value, at);
    head.write("data", 36);
    return Buffer.concat([head, Buffer.alloc(8_000, 128)]);
  }
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const jpg =
    "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=";
  const pdf =
    "%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n";

  test("every kind is shown as what it is, whatever its size, and nothing in it runs or reaches anyone", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    const rows = Array.from({ length: 10_000 }, (_, n) => `${n + 1},"name, ${n + 1}",${(n * 0.5).toFixed(2)}`);
    putFiles(scene, "alpha", {
      "documents/table.csv": `id,name,price\n${rows.join("\n")}\n`,
      "documents/big.json": JSON.stringify({ list: Array.from({ length: 5_000 }, (_, n) => ({ n })) }),
      "documents/half.json": '{"a": [1, 2',
      "documents/empty.txt": "",
      "documents/large.txt": "0123456789 abcdef\n".repeat(290_000),
      "documents/wide.txt": "x".repeat(300_000),
      "documents/drawn.svg":
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>fetch("https://evil.example/s")</script><rect width="40" height="30"/></svg>',
      "documents/page.html":
        '<title>x</title><h1>Drawn</h1><script>document.body.textContent = "ran"; fetch("https://evil.example/h")</script><img src="https://evil.example/i.png" onerror="document.title=1"><iframe src="https://evil.example/f"></iframe>',
    });
    const folder = join(scene.at("alpha"), "runs/r1/documents");
    const bytes = { "a.png": Buffer.from(png, "base64"), "b.jpg": Buffer.from(jpg, "base64"), "c.wav": wav() };
    for (const [name, content] of Object.entries({
      ...bytes,
      "d.bin": Buffer.from([0, 1, 2, 255]),
      "e.pdf": Buffer.from(pdf),
    }))
      writeFileSync(join(folder, name), content);
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/files" });
    const open = async (name: string) => {
      await goTo(page, `documents/${name}`);
      await page.locator(".preview-head b", { hasText: name }).waitFor();
    };
    const drawn = (selector: string) =>
      expect.poll(() => page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.naturalWidth`));

    await open("table.csv");
    await page.getByText("10000 rows, 3 columns").waitFor();
    expect(await page.locator(".grid-t tbody tr").count()).toBeLessThan(200);
    const table = page.getByRole("region", { name: "10000 rows, 3 columns" });
    await table.evaluate("document.querySelector('.grid-s').scrollTop = 1e7");
    await page.getByRole("cell", { name: "name, 10000" }).waitFor();
    await open("big.json");
    await page.getByText("[5000 items]").waitFor();
    await open("half.json");
    await page.getByText("Not valid JSON").waitFor();
    await open("empty.txt");
    await page.getByRole("heading", { name: "It is empty" }).waitFor();
    await open("large.txt");
    await page.getByText("Only the beginning is shown").waitFor();
    await page.locator(".lns-in > div", { hasText: "0123456789" }).first().waitFor();
    expect(await page.locator(".lns-in > div").count()).toBeLessThan(300);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download", exact: true }).click(),
    ]);
    expect(readFileSync(await download.path()).length).toBe(18 * 290_000);
    await open("wide.txt");
    await page.getByText("290000 characters more in this line").waitFor();
    await open("drawn.svg");
    await drawn("img.pic").toBe(40);
    expect(await page.locator(".preview-body svg rect").count()).toBe(0);
    await open("a.png");
    await drawn("img.pic").toBe(1);
    await open("b.jpg");
    await page.locator('img.pic[alt="b.jpg"]').waitFor({ state: "attached" });
    await open("c.wav");
    await expect.poll(() => page.evaluate("document.querySelector('audio')?.duration")).toBe(1);
    await open("d.bin");
    await page.getByRole("heading", { name: "No preview" }).waitFor();
    await open("e.pdf");
    if (await page.evaluate("navigator.pdfViewerEnabled"))
      expect(await page.locator("iframe").getAttribute("src")).toMatch(/^blob:/);
    else await page.getByRole("link", { name: "Download e.pdf" }).waitFor();
    await open("page.html");
    const frame = page.frameLocator("iframe");
    await frame.getByRole("heading", { name: "Drawn" }).waitFor();
    expect(await page.locator("iframe").getAttribute("sandbox")).toBe("allow-same-origin");
    expect(await frame.locator("script, iframe, img").count()).toBe(0);
    expect(misdeeds).toEqual([]);
  });

  test("on a phone the tree and the file are two steps, and nothing is wider than the screen", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    putFiles(scene, "alpha", { "_plan.md": "# Plan\n\nPlant a larch.\n", "documents/a.csv": "a,b\n1,2\n" });
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/files", phone: true });
    await row(page, "_plan.md").waitFor();
    expect(await page.locator(".pv").isVisible()).toBe(false);
    await row(page, "_plan.md").click();
    await page.getByRole("heading", { name: "Plan" }).waitFor();
    expect(await page.locator(".tree").isVisible()).toBe(false);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await page.getByRole("button", { name: "Back to the list" }).click();
    await page.getByLabel("Find in files").fill("larch");
    await page.locator(".hit.ln").click();
    await page.locator(".lns .on", { hasText: "larch" }).waitFor();
    await page.goBack();
    await row(page, "documents").or(page.locator(".hit").first()).first().waitFor();
    expect(misdeeds).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)("two who edit", () => {
  test("the second sees what changed, merges it by hand, and nobody's words are lost; a draft outlives a reload", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    const soul = join(scene.at("alpha"), "SOUL.md");
    await replace(scene.home, "/agents/alpha/memory/SOUL.md", "# Soul\n\nBrief.\n\nKind.\n");
    const { page: one, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/memory" });
    const { page: two } = await openWindow(scene.home, { path: "/app/agents/alpha/memory" });
    for (const page of [one, two]) await page.getByRole("button", { name: "Edit" }).click();
    await two.getByLabel("Text of SOUL.md").fill("# Soul\n\nBrief.\n\nKind, and honest.\n");
    await two.reload();
    expect(await two.getByLabel("Text of SOUL.md").inputValue()).toContain("honest");
    await row(two, "SOUL.md").getByText("draft").waitFor();
    await one.getByLabel("Text of SOUL.md").fill("# Soul\n\nVery brief.\n\nKind.\n");
    await one.keyboard.press("Control+s");
    await one.locator(".paper", { hasText: "Very brief." }).waitFor();
    // Told while one writes, and what one writes stays before one's eyes.
    await two.getByText("Somebody else changed").waitFor();
    expect(await two.getByLabel("Text of SOUL.md").inputValue()).toContain("honest");
    await two.getByRole("button", { name: "Save" }).click();
    await two.getByTestId("theirs").locator(".add", { hasText: "Very brief." }).waitFor();
    await two.getByTestId("mine").locator(".add", { hasText: "honest" }).waitFor();
    expect(readFileSync(soul, "utf8")).not.toContain("honest");
    await two.getByRole("button", { name: "Merge by hand" }).click();
    expect(await two.getByLabel("Text of SOUL.md").inputValue()).toBe("# Soul\n\nVery brief.\n\nKind, and honest.\n");
    await two.getByRole("button", { name: "Save" }).click();
    await two.locator(".paper", { hasText: "Kind, and honest." }).waitFor();
    expect(readFileSync(soul, "utf8")).toBe("# Soul\n\nVery brief.\n\nKind, and honest.\n");
    await one.locator(".paper", { hasText: "Kind, and honest." }).waitFor();
    await one.getByRole("button", { name: "Changes" }).click();
    await one.locator(".df .add", { hasText: "honest" }).waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("what both changed is marked, and is not saved before somebody chose", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    const { page } = await openWindow(scene.home, { path: "/app/agents/alpha/memory" });
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Text of SOUL.md").fill("Mine");
    writeFileSync(join(scene.at("alpha"), "SOUL.md"), "Theirs");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Merge by hand" }).click();
    expect(await page.getByLabel("Text of SOUL.md").inputValue()).toContain("<<<<<<< yours\nMine\n");
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.getByLabel("Text of SOUL.md").fill("Ours");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".paper", { hasText: "Ours" }).waitFor();
    expect(readFileSync(join(scene.at("alpha"), "SOUL.md"), "utf8")).toBe("Ours");
  });
});

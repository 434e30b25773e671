/** Previews of files of every kind, in a real Chromium at a real daemon. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openScene, putFiles, withQuestion } from "./scene.ts";
import { goTo, row } from "./tree.ts";
import { hasBrowser, openWindow } from "./window.ts";

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

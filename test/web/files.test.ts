/** Files and Memory in a real Chromium at a real daemon: finding, versions, seals, two who edit. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ask, daemonFile, serveHere } from "../daemon.ts";
import { newFolder, put } from "../program.ts";
import { createCast } from "./cast.ts";
import { openScene, putFiles, withQuestion } from "./scene.ts";
import { chips } from "./teams.ts";
import { goTo, row } from "./tree.ts";
import { hasBrowser, openWindow } from "./window.ts";

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
    await row(page, "_plan.md").waitFor();
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
    await serveHere(home);
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

/** Needs you, Files, Memory, Cost, Triggers and Settings, in a real Chromium at a real daemon. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ask } from "../daemon.ts";
import { findings } from "./findings.ts";
import { hostile, hostileName, openScene, putFiles, withApproval, withQuestion } from "./scene.ts";
import { go, hasBrowser, openWindow } from "./window.ts";

/** A browser on a machine that others use as well takes its time. */

const row = (page: Page, text: string) => page.locator(".it", { hasText: text });

describe.skipIf(!hasBrowser)("needs you", () => {
  test("a question is answered by keys; its row goes, the next one is open", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?", ["Blue", "Green"]);
    await withQuestion(scene, "beta", "What shall it be called?");
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/needs-you" });
    await page.getByRole("heading", { name: "Which colour?" }).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "What shall it be called?" }).waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "What shall it be called?" }).waitFor();
    await row(page, "Which colour?").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Send now" }).click();
    await page.getByRole("button", { name: "Send now" }).waitFor({ state: "detached" });
    await expect
      .poll(async () => (await ask(scene.home, "GET /agents/alpha/questions")).body.items[0])
      .toMatchObject({ answer: "Green" });
    await page.keyboard.press("r");
    await page.keyboard.type("Larch");
    await page.keyboard.press("Enter");
    await page.getByText("Nothing needs you").waitFor();
    await page.getByRole("button", { name: "Send now" }).click();
    await page.getByRole("button", { name: "Send now" }).waitFor({ state: "detached" });
    await expect
      .poll(async () => (await ask(scene.home, "GET /agents/beta/questions")).body.items[0])
      .toMatchObject({ answer: "Larch" });
    expect(misdeeds).toEqual([]);
  });

  test("calls are approved together, or denied with a reason", async () => {
    const scene = await openScene();
    for (const name of ["one", "two", "three", "four"])
      await withApproval(scene, name, { path: `${name}.txt`, content: "hello" });
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/needs-you" });
    await row(page, "Write three.txt").click();
    await page.locator(".given", { hasText: "hello" }).waitFor();
    await page.getByLabel("Why not").fill("not this one");
    await page.getByRole("button", { name: "Deny" }).click();
    await row(page, "three.txt").waitFor({ state: "detached" });
    // A box that is ticked is no text: keys go on.
    await row(page, "Write four.txt").click();
    await page.getByLabel("The same for every call of write_file by Coordinator in this run").check();
    await page.keyboard.press("y");
    await row(page, "four.txt").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Select all" }).click();
    await page.getByText("2 of 2 chosen").waitFor();
    const chosen = page.getByRole("region", { name: "2 calls chosen" });
    for (const shown of ["one.txt", "two.txt"]) await chosen.locator(".given", { hasText: shown }).waitFor();
    await page.locator("body").press("a");
    await page.getByText("Nothing needs you").waitFor();
    await page.getByRole("button", { name: /Decided/ }).click();
    const list = page.getByRole("list", { name: "Decided" });
    for (const shown of ["one.txt", "three.txt"]) await list.locator(".given", { hasText: shown }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Send now" }).first().click();
    await page.getByRole("button", { name: "Send now" }).last().click();
    await page.clock.install();
    await page.clock.fastForward(9_000);
    await expect.poll(() => page.getByRole("button", { name: "Send now" }).count()).toBe(0);
    const decided = async (agent: string) => (await ask(scene.home, `GET /agents/${agent}/approvals`)).body.items[0];
    await expect.poll(() => decided("one")).toMatchObject({ decision: "allow" });
    await expect.poll(() => decided("two")).toMatchObject({ decision: "allow" });
    await expect.poll(() => decided("three")).toMatchObject({ decision: "deny", reason: "not this one" });
    await expect.poll(() => decided("four")).toMatchObject({ decision: "allow" });
    expect(misdeeds).toEqual([]);
  });

  test("what is snoozed stays so over a reload and comes back by undo; a budget that is used up is raised and work goes on", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?", ["Blue", "Green"]);
    scene.lab.play({ say: "One" }, { say: "Two" });
    await ask(scene.home, "POST /agents", { goal: "Count", name: "counter", budget: { turns: 1 } });
    await ask(scene.home, "POST /agents/counter/send", { message: "On?" });
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/needs-you" });
    // Whichever came first is shown.
    await row(page, "Which colour?").click();
    await page.getByRole("heading", { name: "Which colour?" }).waitFor();
    await page.keyboard.press("s");
    await page.getByRole("region", { name: "Snoozed" }).waitFor();
    await page.reload();
    await page.getByRole("region", { name: "Snoozed" }).getByText("Which colour?").waitFor();
    await row(page, "counter has used up its budget").click();
    await page.getByLabel("New limit in model calls").fill("1");
    expect(await page.getByRole("button", { name: /Continue with/ }).isDisabled()).toBe(true);
    await page.getByLabel("New limit in model calls").fill("9");
    await page.getByRole("button", { name: /Continue with/ }).click();
    await row(page, "counter has used up").waitFor({ state: "detached" });
    expect((await ask(scene.home, "GET /agents/counter/cost")).body.budget).toMatchObject({ turns: 9 });
    await row(page, "Which colour?").click();
    await page.getByRole("button", { name: "Wake it" }).click();
    await page.getByRole("region", { name: "Decide now" }).getByText("Which colour?").waitFor();
    expect(misdeeds).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)("files and memory", () => {
  test("the soul is edited; if it was changed on the disk meanwhile both are shown and nothing is lost", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    const soul = join(scene.at("alpha"), "SOUL.md");
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/memory" });
    await page.getByRole("button", { name: "Edit" }).waitFor();
    await page.keyboard.press("e");
    await page.keyboard.type("no go");
    expect(await page.getByLabel("Text of SOUL.md").inputValue()).toContain("no go");
    expect(page.url()).toContain("/memory");
    await page.getByLabel("Text of SOUL.md").fill("# Mine\n");
    writeFileSync(soul, "# Theirs\n");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Somebody else changed").waitFor();
    await page.getByTestId("theirs").locator(".add", { hasText: "# Theirs" }).waitFor();
    await page.getByTestId("mine").locator(".add", { hasText: "# Mine" }).waitFor();
    expect(readFileSync(soul, "utf8")).toBe("# Theirs\n");
    await page.getByRole("button", { name: "Save mine over it" }).click();
    await page.getByRole("heading", { name: "Mine" }).waitFor();
    expect(readFileSync(soul, "utf8")).toBe("# Mine\n");
    // What was refused is in the browser's console as a failed request, and nothing else is.
    expect(misdeeds.filter((one) => !/409 \(Conflict\)/.test(one))).toEqual([]);
  });

  test("the tree and the open file follow what happens; a document is written and shown; the memory is searched", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/needs-you" });
    await row(page, "Which colour?").waitFor();
    await page.goto(new URL("/app/agents/alpha/files#documents/plan.md", page.url()).href);
    await page.getByText("It is not there").waitFor();
    await ask(scene.home, "PUT /agents/alpha/workspace/documents/plan.md", { text: "# First\n\nsame\n" });
    await page.getByRole("heading", { name: "First" }).waitFor();
    await page.locator(".tr", { hasText: "plan.md" }).waitFor();
    const { body } = await ask(scene.home, "GET /agents/alpha/workspace/documents/plan.md");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Text of plan.md").fill("# Second\n\nsame\n");
    await page.getByRole("button", { name: "What I changed" }).click();
    await page.locator(".df .add", { hasText: "# Second" }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Second" }).waitFor();
    await page.getByRole("button", { name: "Changes" }).click();
    await page.locator(".df .del", { hasText: "# First" }).waitFor();
    const after = (await ask(scene.home, "GET /agents/alpha/workspace/documents/plan.md")).body;
    expect(after).toMatchObject({ text: "# Second\n\nsame\n" });
    expect(after.sha256).not.toBe(body.sha256);
    await ask(scene.home, "PUT /agents/alpha/memory/knowledge/trees.md", {
      text: "# Trees\n\nThe larch sheds needles.\n",
    });
    await page.getByRole("link", { name: "Memory" }).click();
    await page.getByLabel("Search the memory").fill("larch");
    await page.locator(".hit", { hasText: "needles" }).click();
    await page.locator(".lns .on", { hasText: "The larch sheds needles." }).waitFor();
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.getByRole("heading", { name: "Trees" }).waitFor();
    expect(misdeeds.filter((one) => !/404 \(Not Found\)/.test(one))).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)("cost, triggers, settings", () => {
  test("a limit is set and taken back; a trigger is set and cancelled; settings tell what was found and no secret", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?");
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/cost" });
    const budget = async () => (await ask(scene.home, "GET /agents/alpha/cost")).body.budget;
    await page.getByLabel("Limit in $").fill("9");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await page.getByText("of $9.00").first().waitFor();
    expect(await budget()).toEqual({ usd: 9 });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("of $6.00").first().waitFor();
    expect(await budget()).toEqual({ usd: 6 });

    await page.getByRole("link", { name: "Triggers" }).click();
    await page.getByLabel("At an interval").check();
    await page.getByLabel("Every", { exact: true }).fill("2");
    await page.getByLabel("Unit").selectOption("hours");
    await page.getByLabel("Text", { exact: true }).fill("Look around");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await page.getByText("Every 2 h 0 min, if something is new").waitFor();
    await page.getByRole("button", { name: /^Cancel/ }).click();
    await page.getByText("No triggers").waitFor();
    const { items } = (await ask(scene.home, "GET /agents/alpha/triggers")).body;
    expect(items).toMatchObject([
      { status: "cancelled", schedule: { type: "heartbeat", interval_seconds: 7200 }, action: { text: "Look around" } },
    ]);

    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Look again" }).waitFor();
    await page.getByText("lab/test (model in config.yaml)").waitFor();
    await page.getByRole("button", { name: "Dark" }).click();
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    expect(misdeeds).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)("whatever is said", () => {
  test("T11 T12 T13 is text on every page: nothing runs, nothing is asked of others", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", `Well? ${hostile}`, [`<img src=x onerror=alert("o")>`, `javascript:alert(1)`]);
    await withApproval(scene, "beta", { path: `<img src=x onerror=alert(1)>.txt`, content: hostile });
    const page_ = `<!doctype html><html><head><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example"><link rel=stylesheet href="https://evil.example/a.css"><style>p{background:url(https://evil.example/b.png)} p{color:rgb(1,2,3)}</style></head><body onload="alert('body')"><p style="background:url(https://evil.example/c.png)" onclick="alert(1)">Drawn</p><form action="https://evil.example"><button>go</button></form>${hostile}<a href="javascript:alert(1)" target="_top">z</a><img src="https://evil.example/d.png" srcset="https://evil.example/e.png 2x"><video src="https://evil.example/f.mp4"></video><svg><use href="https://evil.example/s.svg#a"/><script>alert('in svg')</script></svg><object data="https://evil.example/o"></object></body></html>`;
    const files: Record<string, string> = {
      "a.md": hostile,
      "b.html": page_,
      "c.csv": `<script>alert(1)</script>,"<img src=x onerror=alert(1)>"\n${hostile.replaceAll("\n", " ")},2\n`,
      "d.json": JSON.stringify({ [hostile]: hostile, list: [hostile] }),
      "e.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="alert('svg')" width="10" height="10"><script>alert('s')</script><image href="https://evil.example/i.png"/><rect width="9" height="9"/></svg>`,
      "f.py": hostile,
      "g.txt": hostile,
      [hostileName]: `# Named\n${hostile}`,
    };
    putFiles(
      scene,
      "alpha",
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`documents/${name}`, text])),
    );
    await ask(scene.home, "PUT /agents/alpha/memory/knowledge/x.md", {
      text: `# Larch ${hostile}\n\nlarch ${hostile}`,
    });
    await ask(scene.home, "POST /agents/alpha/triggers", {
      type: "on_event",
      config: { pattern: "<img src=x onerror=alert(1)>", filter: { "<b>": "<script>alert(1)</script>" } },
      action: hostile,
    });
    const { page, misdeeds } = await openWindow(scene.home, { path: "/app/needs-you" });
    await page.getByRole("heading", { name: /Well\?/ }).waitFor();
    await row(page, "Write ").click();
    await page.locator(".given").waitFor();
    await page.keyboard.press("s");
    await page.getByRole("region", { name: "Snoozed" }).waitFor();

    await page.goto(new URL("/app/agents/alpha/files", page.url()).href);
    await page.locator(".tr", { hasText: "documents" }).click();
    for (const name of Object.keys(files)) {
      await page.locator(".tr", { hasText: name }).click();
      await page.locator(".preview-head b", { hasText: name }).waitFor();
      await page
        .locator(
          ".preview-body .md, .preview-body table, .preview-body .js, .preview-body img, .preview-body iframe, .preview-body .lns",
        )
        .first()
        .waitFor();
      if (name === "b.html") {
        const drawn = page.frameLocator("iframe").locator("p");
        await drawn.getByText("Drawn").waitFor();
        await expect.poll(() => drawn.first().evaluate(colourOf)).toBe("rgb(1, 2, 3)");
      }
      const source = page.getByRole("button", { name: "Source" });
      if (await source.count()) {
        await source.click();
        await page.locator(".preview-body .lns").waitFor();
      }
    }
    await page.locator(".preview-head b", { hasText: hostileName }).waitFor();
    await page.getByLabel("Find in files").fill("<img");
    await page.locator(".hit", { hasText: hostileName }).waitFor();

    await page.getByRole("link", { name: "Memory" }).click();
    await page.getByLabel("Search the memory").fill("larch");
    await page.locator(".hit", { hasText: "larch" }).first().click();
    await page.locator(".lns .on", { hasText: "<script>" }).waitFor();
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.getByRole("heading", { name: /Larch/ }).waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Text of x.md").fill(`${hostile}\n`);
    await page.getByRole("button", { name: "What I changed" }).click();
    await page.locator(".df .add").first().waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("link", { name: "Triggers" }).first().click();
    await page.getByRole("heading", { name: "Set", exact: true }).waitFor();
    await page.getByRole("link", { name: "Cost" }).first().click();
    await page.getByRole("heading", { name: "Cost", exact: true }).waitFor();
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Look again" }).waitFor();
    expect(misdeeds).toEqual([]);
  });

  test("axe finds nothing serious, in the dark and in light on a phone", async () => {
    const scene = await openScene();
    await withQuestion(scene, "alpha", "Which colour?\n\nMore about it.", ["Blue", "Green"]);
    await withApproval(scene, "beta", { path: "x.txt", content: "hello" });
    putFiles(scene, "alpha", { "_plan.md": "# Plan\n\n- one\n", "documents/a.csv": "a,b\n1,2\n" });
    await ask(scene.home, "POST /agents/alpha/triggers", {
      type: "scheduled",
      config: { cron: "0 9 * * *" },
      action: "Look",
    });
    const paths = {
      "/app/agents/alpha/files": ".tr",
      "/app/agents/alpha/cost": ".cd",
      "/app/agents/alpha/memory": ".tr",
      "/app/agents/alpha/triggers": ".tg",
      "/app/needs-you": ".need-focus",
      "/app/settings": ".fd",
    };
    for (const options of [{ theme: "dark" as const }, { phone: true }]) {
      const { page, misdeeds } = await openWindow(scene.home, { ...options, path: "/app/new" });
      await page.locator(".goal").waitFor();
      for (const [path, there] of Object.entries(paths)) {
        await go(page, path, there);
        expect(await findings(page), path).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path).toBe(true);
      }
      expect(misdeeds).toEqual([]);
    }
  });
});

/** In the browser. */
const colourOf = (one: unknown): string =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { color: string } }).getComputedStyle(one).color;

/** A new agent and the first page, in a real window. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ask, serveHere } from "../daemon.ts";
import { createLab, newFolder } from "../program.ts";
import { findings } from "./findings.ts";
import { brief } from "./teams.ts";
import { hasBrowser, openWindow, type WindowOptions } from "./window.ts";

/** The phone is in the light. */
const looks: WindowOptions[] = [{ theme: "dark" }, { phone: true }];

async function house(files: Record<string, string> = {}, env: Record<string, string> = {}) {
  const lab = await createLab();
  const home = newFolder({ "config.yaml": lab.config(), ...files });
  await serveHere(home, env);
  return { lab, home };
}

describe.skipIf(!hasBrowser)("a new agent", () => {
  test("a workflow is chosen: it is shown, fills the goal, and its workers and nodes are on the graph", async () => {
    const { lab, home } = await house({
      "workflows/brief.yaml": brief,
      "workflows/broken.yaml": "about: x\nworkers: { Ada: x }\nsteps: []\n",
    });
    lab.play({ say: "I wait for Ada." });
    const { page, misdeeds } = await openWindow(home, { path: "/app/new" });
    await page
      .getByLabel("Workflows that cannot be used")
      .getByText("line 3, column 1: steps is not a field")
      .waitFor();
    await page.getByLabel("Team").selectOption("brief");
    expect(await page.getByLabel("Goal").inputValue()).toBe("Write a page on chips");
    expect(await page.getByLabel("Budget in US dollars").inputValue()).toBe("3");
    const preview = page.getByRole("region", { name: "Workflow brief" });
    await preview.getByRole("list", { name: "Nodes of Write" }).getByText("Ben, after What is known").waitFor();
    await page.getByTestId("says").getByText("Starts at once with 2 workers and 2 nodes").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.reload();
    await preview.getByRole("list", { name: "Workers" }).getByText("Ada").waitFor();
    await page.getByLabel("Goal").press("Enter");
    await page.waitForURL(/agents\/write-a-page-on-chips\/graph$/);
    await page.locator("[data-node=n1-what-is-known]").getByText("Ada", { exact: true }).waitFor();
    await page.getByRole("navigation", { name: "Agents" }).getByText("Ben", { exact: true }).waitFor();
    const { body } = await ask(home, "GET /agents/write-a-page-on-chips");
    expect(body).toMatchObject({ workflow: "brief", worker_count: 2 });
    const board = await ask(home, "GET /agents/write-a-page-on-chips/board");
    expect(board.body.nodes[0].id).toBe("n1-what-is-known");
    expect(misdeeds).toEqual([]);
  });

  test("a folder is found by its name with the keyboard; one that may not be given is refused there, in the daemon's words", async () => {
    const { lab, home } = await house();
    lab.play({ say: "Read." });
    const root = newFolder({ "shop/.git/HEAD": "ref: refs/heads/main\n", "shed/a.md": "x" });
    const { page, misdeeds } = await openWindow(home, { path: "/app/new" });
    await page.getByLabel("Goal").fill("Read this repository");
    await page.getByRole("button", { name: "New folder" }).press("Enter");
    const field = page.getByRole("combobox", { name: "Your repository or folder" });
    await field.fill(`${root}/sho`);
    await page.getByRole("option", { name: "shop" }).waitFor();
    await page.getByText("does not exist").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await field.press("ArrowDown");
    await field.press("Enter");
    expect(await field.inputValue()).toBe(join(root, "shop"));
    await page.getByText("A git repository, at main.").waitFor();
    expect(await findings(page)).toEqual([]);
    await field.fill(`${root}/nothing`);
    await page.getByRole("alert").getByText("does not exist").waitFor();
    await field.fill("/etc");
    await page.getByRole("alert").getByText("which belongs to the system").waitFor();
    // The words stood there before: what the daemon answers is waited for.
    const refused = page.waitForResponse(
      (response) => response.request().method() === "POST" && response.status() === 400,
    );
    await page.getByRole("button", { name: "Start" }).click();
    await refused;
    await page.getByRole("alert").getByText("which belongs to the system").waitFor();
    expect((await ask(home, "GET /agents")).body.items).toEqual([]);
    await field.fill(join(root, "shop"));
    // Until then the list is that of the folder before, and Escape closes the list first.
    await page.getByText("A git repository, at main.").waitFor();
    await field.press("Escape");
    await page.getByTestId("says").getByText("works on shop").waitFor();
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByLabel("Message Coordinator").waitFor();
    await page.locator("body").press("c");
    await page.getByRole("button", { name: "New folder" }).click();
    await page.getByRole("option", { name: join(root, "shop") }).waitFor();
    expect(misdeeds.filter((one) => !one.includes("400"))).toEqual([]);
  });

  test("a tool that is not there, under More, is refused in the daemon's words and nothing that was typed is lost", async () => {
    const { home } = await house();
    const { page } = await openWindow(home, { path: "/app/new" });
    await page.getByLabel("Goal").fill("Count");
    await page.getByRole("button", { name: "Further settings" }).click();
    await page.getByLabel("Only these tools").fill("wish");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("alert").getByText('there is no tool "wish"').waitFor();
    expect(await page.getByLabel("Goal").inputValue()).toBe("Count");
  });

  test("the first page: what was found, how to add what was not, where files are, and nobody at the side", async () => {
    const user = newFolder({
      "bin/claude": "#!/bin/sh\necho 2.1.197\n",
      "bin/codex": "#!/bin/sh\nsleep 3\necho 0.0.1\n", // longer than the page waits for an answer
      ".codex/auth.json": '{"OPENAI_API_KEY":"sk-of-a-test"}',
    });
    for (const name of ["claude", "codex"]) chmodSync(join(user, "bin", name), 0o755);
    const { home } = await house({ "workflows/brief.yaml": brief }, { PATH: `${join(user, "bin")}:/bin`, HOME: user });
    for (const options of looks) {
      const { page, misdeeds } = await openWindow(home, { ...options, path: "/app" });
      await page.getByText("Found on this machine").waitFor();
      await page.getByText(home).waitFor();
      expect(await page.getByRole("navigation", { name: "Agents" }).isVisible()).toBe(false);
      await page.getByRole("button", { name: "How to add Anthropic" }).click();
      await page.getByText("export ANTHROPIC_API_KEY=…").waitFor();
      await page.getByText("2.1.197, not logged in").waitFor();
      await page.getByRole("button", { name: "How to log in to Claude Code" }).click();
      await page.getByText("To use it, run claude and log in, or set ANTHROPIC_API_KEY").waitFor();
      await page.getByRole("button", { name: "How to add Gemini CLI" }).click();
      await page.getByText("npm install -g @google/gemini-cli").waitFor();
      const offered = page.getByLabel("Model").getByRole("option", { name: "Claude Code · not logged in" });
      expect(await offered.getAttribute("disabled")).not.toBeNull();
      await page.getByText("0.0.1, with your login; older than what was tested").waitFor();
      await page.getByLabel("Model").selectOption({ label: "Codex · your login, version not tested" });
      await page.getByLabel("Goal").fill("Count");
      await page.getByTestId("says").getByText("thinks with Codex,").waitFor();
      expect(await findings(page)).toEqual([]);
      await page.getByLabel("Team").selectOption("brief");
      await page.getByRole("region", { name: "Workflow brief" }).waitFor();
      await page.getByRole("button", { name: "New folder" }).click();
      await page.getByRole("combobox", { name: "Your repository or folder" }).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      expect(await findings(page)).toEqual([]);
      expect(misdeeds).toEqual([]);
    }
  });
});

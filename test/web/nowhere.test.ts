/** Addresses that lead to nobody: what is said there, and the way on. And what is said in passing, in plain words. */
import { describe, expect, test } from "vitest";
import { ask, daemonFile, serveHere } from "../daemon.ts";
import { createLab, newFolder } from "../program.ts";
import { hasBrowser, openWindow } from "./window.ts";

/** A browser tells of every answer that is none, also of those that a page asked for. */
const others = (misdeeds: string[]) => misdeeds.filter((one) => !/status of 40[04]/.test(one));

describe.skipIf(!hasBrowser)("an address", () => {
  test("of no agent says so on every page, and which agents there are; one that was archived or is broken says what it is and why", async () => {
    const lab = await createLab();
    const home = newFolder({ "config.yaml": lab.config(), "agents/broken/events.jsonl": "{}\n{}\n" });
    await serveHere(home);
    for (const name of ["alpha", "ended"]) {
      lab.play({ tool: "finish", input: { summary: `**${name}** is done` } });
      await ask(home, "POST /agents", { goal: `Do ${name}`, name });
      await expect.poll(async () => (await ask(home, `GET /agents/${name}`)).body.status).toBe("completed");
    }
    await ask(home, "DELETE /agents/ended", {});
    const { page, misdeeds } = await openWindow(home, { path: "/app/settings" });
    await page.getByText("Live").waitFor();
    const to = (path: string) => page.goto(`http://127.0.0.1:${daemonFile(home)!.port}/app/agents/${path}`);
    for (const view of ["talk", "graph", "time", "files", "memory", "triggers", "cost"]) {
      await to(`nope/${view}`);
      await page.getByRole("heading", { name: "No agent called nope" }).waitFor();
      expect(await page.getByRole("status", { name: "Loading" }).count()).toBe(0);
    }
    const agents = page.getByRole("navigation", { name: "Other agents" });
    await agents.getByRole("link", { name: "New agent" }).waitFor();
    expect(await agents.getByRole("link", { name: /ended/ }).count()).toBe(0);
    await agents.getByRole("link", { name: /alpha/ }).click();
    await page.getByText("alpha is done").first().waitFor();

    await to("ended/graph");
    await page.getByRole("heading", { name: "ended is archived" }).waitFor();
    await page.getByText("It accepts no more commands").waitFor();
    expect(await page.locator(".archived strong").innerText()).toBe("ended");

    await to("broken/talk");
    await page.getByRole("heading", { name: "broken cannot be opened" }).waitFor();
    const { message } = (await ask(home, "GET /agents/broken")).body.reason;
    await page.getByText(message).first().waitFor();

    await to("alpha/talk?with=nobody");
    await page.getByRole("heading", { name: "No worker called nobody" }).waitFor();
    expect(await page.getByLabel(/^Message/).count()).toBe(0);
    await page
      .getByRole("navigation", { name: "People who are here" })
      .getByRole("link", { name: /Coordinator/ })
      .click();
    await page.getByLabel("Message Coordinator").waitFor();

    await to("alpha/talk#n9-nothing");
    const node = page.getByRole("complementary", { name: "Node n9-nothing" });
    await node.getByText("n9-nothing is not on the board of r1").waitFor();
    expect(await node.getByRole("tab").count()).toBe(0);
    await node.getByRole("button", { name: "Close" }).last().click();
    await node.waitFor({ state: "detached" });
    // The log that cannot be read.
    expect(others(misdeeds)).toEqual([expect.stringContaining("status of 500")]);
  });

  test("what happened elsewhere is told in plain words", async () => {
    const lab = await createLab();
    const home = newFolder({ "config.yaml": lab.config() });
    await serveHere(home);
    const { page, misdeeds } = await openWindow(home, { path: "/app/settings" });
    await page.getByText("Live").waitFor();
    lab.play({
      tool: "finish",
      input: { summary: "# Report\n\nThe **table** is in `out.md`. More is below.\n\n- one" },
    });
    await ask(home, "POST /agents", { goal: "Report", name: "reporter" });
    const toast = page.locator(".toast", { hasText: "reporter is done" });
    await toast.waitFor();
    expect(await toast.locator("p").innerText()).toBe("Report: The table is in out.md.");
    expect(misdeeds).toEqual([]);
  });
});

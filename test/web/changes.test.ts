/** What a team changed in the user's repository, in a real browser: the diff, a comment on a line and its answer, and the decision. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ask, serveHere } from "../daemon.ts";
import { newFolder } from "../program.ts";
import { createCast } from "./cast.ts";
import { findings } from "./findings.ts";
import { after, git, newRepository, retry } from "./repositories.ts";
import { hasBrowser, openWindow } from "./window.ts";

async function shop() {
  const cast = await createCast(retry);
  const home = newFolder({ "config.yaml": cast.config });
  const folder = newRepository();
  await serveHere(home);
  await ask(home, "POST /agents", { goal: cast.goal, name: "shop", folder });
  return { home, folder };
}

describe.skipIf(!hasBrowser)("changes", () => {
  test("a person reads a diff, comments on a line, sees the answer beside it, and merges; nothing reaches the repository before", async () => {
    const { home, folder } = await shop();
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/shop/changes" });
    const lines = page.getByRole("region", { name: /^Changed lines/ });
    await lines.getByText("retry(() =>").waitFor();
    await page.getByRole("button", { name: /^All merged work/ }).waitFor();
    await page.getByRole("button", { name: /Describe retries.*not merged/ }).waitFor();

    await page.getByRole("button", { name: /Retry price fetches.*merged/ }).click();
    await page.getByRole("heading", { name: "Retry price fetches" }).waitFor();
    const marked = async () => (await lines.locator("mark").allInnerTexts()).join("");
    await expect.poll(marked).toContain("PriceError");
    await page.getByRole("tab", { name: "Unified" }).click();
    await page.getByRole("region", { name: "Changed lines, unified" }).waitFor();

    // By keys alone: to the first change, on to the line that was added, a comment.
    await lines.focus();
    for (const key of ["j", "ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await page.getByLabel("Comment on this line").fill("Why 5? The vendor locks us out after 4.");
    await page.keyboard.press("ControlOrMeta+Enter");
    const thread = page.locator(".cmt-in");
    await thread.getByText("Why 5? The vendor locks us out after 4.").waitFor();
    await thread.getByText("It is 4 now.").waitFor();
    const { body } = await ask(home, "GET /agents/shop/events?types=message.posted");
    const said = body.items.find(({ actor }: { actor: string }) => actor === "human").data;
    expect(said.to).toEqual(["rui"]);
    expect(said.text).toMatch(/^On src\/prices\.js:3 of n1-retry-price-fetches:\n> const response = await retry/);
    expect(await findings(page)).toEqual([]);

    expect(readFileSync(join(folder, "src/prices.js"), "utf8")).not.toBe(after);
    expect(git(folder, "branch", "--format=%(refname:short)").trim()).toBe("main");
    await page.getByRole("button", { name: "Merge into main…" }).click();
    const dialog = page.getByRole("dialog", { name: "Merge into main" });
    await dialog.getByText("Merges 1 file, +2 −2 into main on this machine").waitFor();
    await dialog.getByText("src/prices.js").waitFor();
    await dialog.getByRole("button", { name: "Merge into main" }).click();
    await page
      .getByText(/Merged into main/)
      .first()
      .waitFor();
    await dialog.waitFor({ state: "hidden" });
    expect(readFileSync(join(folder, "src/prices.js"), "utf8")).toBe(after);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toBe("# Prices\n");
    expect(misdeeds).toEqual([]);
  });

  test("the drawer of a node leads to its diff; on a phone it is one column, and axe finds nothing serious", async () => {
    const { home } = await shop();
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/shop/graph", phone: true });
    await page.locator("[data-node^=n2-].completed, [data-node^=n2-]").first().click();
    const drawer = page.getByRole("complementary", { name: /^Node n2-/ });
    await drawer.getByText("Published, not merged yet.").waitFor();
    await drawer.getByRole("link", { name: "See the diff" }).click();
    await page.getByRole("region", { name: "Changed lines, unified" }).getByText("A fetch is tried again.").waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    await page.getByRole("button", { name: "Save a patch…" }).click();
    const dialog = page.getByRole("dialog", { name: "Save a patch" });
    await dialog.getByRole("button", { name: "Save a patch" }).click();
    await page
      .getByText(/n2-describe-retries\.patch/)
      .first()
      .waitFor();
    expect(misdeeds).toEqual([]);
  });
});

/** The shared texts of a run in a real browser: a new one, a conflict in which nothing is lost, who wrote what, and an owner. */
import { describe, expect, test } from "vitest";
import { ask, serveHere } from "../daemon.ts";
import { createLab, newFolder } from "../program.ts";
import { findings } from "./findings.ts";
import { writeReview } from "./review.ts";
import { hasBrowser, openWindow } from "./window.ts";

describe.skipIf(!hasBrowser)("documents", () => {
  test("a person writes one, sees both texts when another was faster, merges them, and gives it to somebody", async () => {
    const lab = await createLab();
    const home = newFolder({ "config.yaml": lab.config() });
    writeReview(home, Date.now() - 3_600_000);
    await serveHere(home);
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/review/documents" });
    await page.getByText("No documents yet").waitFor();
    await page.getByRole("button", { name: "New document" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("retries");
    await page.getByRole("button", { name: "Write it" }).click();
    const text = page.getByRole("textbox", { name: "Text of retries.md" });
    await text.fill("# Retries\n\nFive attempts.\n\nAsk Rae.\n");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: /retries\.md.*version 1 by you/ }).waitFor();

    await page.getByRole("button", { name: "Edit" }).click();
    await text.fill("# Retries\n\nFive attempts, then an error.\n\nAsk Rae.\n");
    const at = "/agents/review/workspace/documents/retries.md";
    const { body } = await ask(home, `GET ${at}`);
    const theirs = "# Retries\n\nFive attempts.\n\nAsk Rae or Vera.\n";
    await ask(home, `PUT ${at}`, { text: theirs }, { "if-match": `"${body.sha256}"` });
    await page.getByText("Somebody else changed retries.md").waitFor();
    await page.getByRole("button", { name: "See both" }).click();
    await page.getByTestId("theirs").getByText("Ask Rae or Vera.").waitFor();
    await page.getByTestId("mine").getByText("Five attempts, then an error.").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Merge by hand" }).click();
    expect(await text.inputValue()).toBe("# Retries\n\nFive attempts, then an error.\n\nAsk Rae or Vera.\n");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: /retries\.md.*version 3 by you/ }).waitFor();

    await page.getByRole("button", { name: "Changes" }).click();
    const versions = page.getByRole("list", { name: "Versions" });
    for (const version of [1, 2, 3]) await versions.getByRole("button", { name: `You version ${version}` }).waitFor();
    await page.locator(".df .add", { hasText: "then an error" }).waitFor();
    await page.getByRole("combobox", { name: /^Owner/ }).selectOption({ label: "Owned by Rae" });
    await page.getByText("Rae now owns retries.md.").waitFor();
    expect((await ask(home, "GET /agents/review/documents")).body.items).toMatchObject([{ version: 3, owner: "rae" }]);
    // A new one is not there until it is saved.
    expect(misdeeds.filter((one) => !/404 \(Not Found\)/.test(one))).toEqual([]);
  });
});

/** Workflows in a real browser: a mistake is found and mended while one types, a conflict loses nothing, and a run starts with its parameters. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ask, serveHere } from "../daemon.ts";
import { createLab, newFolder } from "../program.ts";
import { findings } from "./findings.ts";
import { review } from "./teams.ts";
import { hasBrowser, openWindow } from "./window.ts";

describe.skipIf(!hasBrowser)("workflows", () => {
  test("a person mends a mistake where it is, keeps both texts of a conflict, and runs it with a parameter", async () => {
    const lab = await createLab();
    const home = newFolder({ "config.yaml": lab.config(), "workflows/review.yaml": review });
    const path = join(home, "workflows/review.yaml");
    await serveHere(home);
    const { page, misdeeds } = await openWindow(home, { path: "/app/workflows?of=review" });
    const text = page.getByRole("textbox", { name: "Text of review" });
    await page.getByText("No problems").waitFor();
    await text.fill(review.replace("kickoff:", "kickof:"));
    await page.getByRole("button", { name: "Line 8" }).waitFor();
    await page.getByText("The team is shown as soon as the file has no problems.").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Change to kickoff" }).click();
    await page.getByText("No problems; not saved yet").waitFor({ state: "hidden" });
    expect(await text.inputValue()).toBe(review);

    // Another field, from the help; meanwhile somebody else saves.
    await text.press("ControlOrMeta+End");
    await page.getByRole("region", { name: "Fields here" }).getByRole("button", { name: "goal" }).click();
    await page.keyboard.type("Nothing is left to mend");
    await page.getByText("No problems; not saved yet").waitFor();
    writeFileSync(path, review.replace("One reviews", "Two review"));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByTestId("theirs").getByText("Two review, one mends").waitFor();
    await page.getByRole("button", { name: "Merge by hand" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved review.").waitFor();
    const saved = readFileSync(path, "utf8");
    expect(saved).toContain("Two review, one mends");
    expect(saved).toContain("goal: Nothing is left to mend");

    const run = page.getByRole("form", { name: "Run review" });
    expect(await run.getByRole("button", { name: "Run" }).isDisabled()).toBe(true);
    await run.getByRole("textbox", { name: "place" }).fill("src/lib");
    lab.play({ say: "Nothing to mend." });
    await run.getByRole("button", { name: "Run" }).click();
    await page.getByText("@reviewer please review src/lib.").waitFor();
    const { body } = await ask(home, "GET /agents");
    expect(body.items).toMatchObject([{ workflow: "review", goal: "Nothing is left to mend" }]);
    expect(misdeeds.filter((one) => !/409 \(Conflict\)/.test(one))).toEqual([]);
  });
});

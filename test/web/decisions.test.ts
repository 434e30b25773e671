/** Votes in a real browser: by keys, taken back, given, seen in the thread; and a proposal of the human's own. */
import { describe, expect, test } from "vitest";
import { ask, serveHere } from "../daemon.ts";
import { createLab, newFolder } from "../program.ts";
import { findings } from "./findings.ts";
import { writeReview } from "./review.ts";
import { hasBrowser, openWindow } from "./window.ts";

describe.skipIf(!hasBrowser)("decisions", () => {
  test("a person votes by keys with a reason, takes it back, votes again, finds why, proposes and withdraws", async () => {
    const lab = await createLab();
    const home = newFolder({ "config.yaml": lab.config() });
    writeReview(home, Date.now() - 3_600_000);
    await serveHere(home);
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/review/decisions" });
    const card = page.getByRole("article", { name: "How long do we retry?" });
    const mine = card.getByRole("region", { name: "Your vote" });
    await mine.getByRole("button", { name: "As the caller says" }).waitFor();
    await page.keyboard.press("2");
    await mine.getByText("settles it: no majority, nothing is decided").waitFor();
    await page.keyboard.press("1");
    await mine.getByText("settles it: Five attempts").waitFor();
    await page.keyboard.press("r");
    await page.keyboard.type("It is easy to explain.");
    await page.keyboard.press("Enter");
    await mine.getByText("You vote: Five attempts").waitFor();
    await mine.getByRole("button", { name: "Undo" }).click();
    expect(await mine.getByRole("textbox", { name: "Your reason" }).inputValue()).toBe("It is easy to explain.");
    expect(await mine.getByRole("button", { name: "Five attempts" }).getAttribute("aria-pressed")).toBe("true");
    expect(await findings(page)).toEqual([]);

    const proposal = async () => (await ask(home, "GET /agents/review/proposals")).body.items[1];
    expect((await proposal()).votes.human).toBeUndefined();
    await mine.getByRole("button", { name: "Vote" }).click();
    await mine.getByRole("button", { name: "Send now" }).click();
    await card.getByText("You It is easy to explain.").waitFor();
    await card.getByText("3 of 3 needed").waitFor();
    expect(await proposal()).toMatchObject({ status: "settled", reasons: { human: "It is easy to explain." } });

    await page.keyboard.press("/");
    await page.keyboard.type("why do we survive a restart");
    await expect.poll(() => page.locator(".dec-l .it").count()).toBe(1);
    await page.getByRole("searchbox", { name: "Why do we …" }).fill("");
    await page.getByRole("button", { name: "Propose" }).click();
    const form = page.getByRole("form", { name: "Propose" });
    await form.getByRole("textbox", { name: "Question" }).fill("Ship it?");
    await form.getByRole("textbox", { name: "Option 1" }).fill("Yes");
    await form.getByRole("textbox", { name: "Option 2" }).fill("yes");
    await form.getByText("Two options are the same").waitFor();
    await form.getByRole("textbox", { name: "Option 2" }).fill("No");
    for (const name of ["Rae", "Cody", "Vera"]) await form.getByRole("checkbox", { name }).uncheck();
    await form.getByRole("button", { name: "Propose" }).click();
    const own = page.getByRole("article", { name: "Ship it?" });
    await own.getByText("Majority of 1").waitFor();
    await own.getByRole("button", { name: "Withdraw" }).click();
    await own.getByText("Withdrawn").waitFor();
    expect(misdeeds).toEqual([]);
  });
});

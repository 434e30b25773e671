/** A long thread: it opens at its end, earlier words come as one goes back without moving what one reads, and all of it is there once. */
import { expect, test } from "vitest";
import { ask, upAndReady } from "../daemon.ts";
import { createLab, newFolder } from "../program.ts";
import { hasBrowser, openWindow } from "./window.ts";

const count = 2_600;

test.skipIf(!hasBrowser)(
  "a long thread opens at its end and goes back to its beginning without jumping",
  async () => {
    const lab = await createLab();
    const home = newFolder({ "config.yaml": lab.config() });
    await upAndReady(home);
    await ask(home, "POST /agents", { goal: "Many words", name: "many", start: false });
    await ask(home, "POST /agents/many/runs", {});
    await ask(home, "POST /agents/many/pause", {});
    for (let from = 0; from < count; from += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          ask(home, "POST /agents/many/send", { message: `Word ${from + index}` }),
        ),
      );
    await ask(home, "POST /agents/many/send", { message: "The last word" });
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/many/talk" });
    await page.getByText("The last word").waitFor();
    expect(await page.locator(".vrow").count()).toBeLessThan(60);
    const thread = page.getByRole("log");
    const top = () => thread.evaluate((element) => element.scrollTop);
    await thread.evaluate((element) => {
      element.scrollTop = 300;
    });
    const seen = page.locator(".vrow article").nth(12);
    const text = await seen.innerText();
    const before = await seen.evaluate((element) => element.getBoundingClientRect().top);
    await expect.poll(top).toBeGreaterThan(2_000); // what is earlier has come above
    const after = await page
      .getByText(/Word \d+$/)
      .filter({ hasText: text.split("\n").at(-1)! })
      .first()
      .evaluate((element) => element.closest("article")!.getBoundingClientRect().top);
    expect(Math.abs(after - before)).toBeLessThan(120);
    await expect
      .poll(
        async () => {
          await thread.evaluate((element) => {
            element.scrollTop = 0;
          });
          return page.getByText("Many words").count();
        },
        { timeout: 15_000 },
      )
      .toBeGreaterThan(1); // in the header, and as the first word of all
    await page.getByLabel("Message Coordinator").fill("And one more");
    await page.keyboard.press("Enter");
    await thread.getByText("And one more").waitFor();
    expect(misdeeds).toEqual([]);
  },
  90_000,
);

/** A long thread: it opens at its end, earlier words come as one goes back without moving what one reads, and all of it is there once. */
import { expect, test } from "vitest";
import { t0 } from "../../src/core/core.test-help.ts";
import { ask, serveHere } from "../daemon.ts";
import { newFolder } from "../program.ts";
import { writeTalk } from "./logs.ts";
import { hasBrowser, openWindow } from "./window.ts";

const count = 10_000;

/** Rows are measured once they are drawn, which moves those below them: until the thread has been still for five frames. */
const atRest = `new Promise((resolve) => {
  const thread = document.querySelector("[role=log]");
  let [still, before] = [0, ""];
  requestAnimationFrame(function look() {
    const now = [thread.scrollTop, thread.scrollHeight, thread.textContent.length].join();
    still = now === before ? still + 1 : 0;
    before = now;
    if (still < 5) requestAnimationFrame(look);
    else resolve();
  });
})`;

test.skipIf(!hasBrowser)("a long thread opens at its end and goes back to its beginning without jumping", async () => {
  const home = newFolder({ "config.yaml": `embeddings: "off"\n` });
  writeTalk(home, "many", count, (nth) => `Word ${nth}`);
  await serveHere(home);
  await ask(home, "POST /agents/many/send", { message: "The last word" });
  const { page, misdeeds } = await openWindow(home, { path: "/app/agents/many/talk" });
  await page.getByText("The last word").waitFor();
  expect(await page.locator(".vrow").count()).toBeLessThan(60);
  const thread = page.getByRole("log");
  const top = () => thread.evaluate((element) => element.scrollTop);
  const to = (top: number) =>
    thread.evaluate((element, at) => {
      element.scrollTop = at;
    }, top);
  await to(700);
  await page.evaluate(atRest);
  const seen = (await page.locator(".vrow article").nth(15).innerText()).split("\n").at(-1)!;
  await to(380);
  await expect.poll(top).toBeGreaterThan(2_000); // what is earlier has come above
  const place = await thread
    .getByText(seen, { exact: true })
    .evaluate((element) => element.getBoundingClientRect().top);
  expect(place).toBeGreaterThan(0);
  expect(place).toBeLessThan(1_000); // as much further down as one has scrolled, and not somewhere else
  await expect
    .poll(async () => {
      await to(0);
      return thread.getByText("Know chips").count();
    })
    .toBe(1); // the first word of all
  await page.getByLabel("Message Coordinator").fill("And one more");
  await page.keyboard.press("Enter");
  await thread.getByText("And one more").waitFor();
  // Every word once: the days they were said on, the goal, the pause, and the two of this test.
  const days = new Set(Array.from({ length: count }, (_, nth) => new Date(t0 + nth * 60_000).toDateString())).size;
  const last = page.locator(".vrow").last();
  expect(Number(await last.getAttribute("data-index"))).toBe(count + days + 1 + 4 - 1);
  expect(misdeeds).toEqual([]);
});

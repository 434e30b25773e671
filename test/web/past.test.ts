/** The whole workspace as it was: what was said, asked and written at an event, by slider, by link and by keys. */
import { describe, expect, test } from "vitest";
import { ask, serveHere } from "../daemon.ts";
import { newFolder } from "../program.ts";
import { createCast } from "./cast.ts";
import { chips, writeBig } from "./teams.ts";
import { hasBrowser, openWindow } from "./window.ts";

const base = "/agents/landscape";
const document = `PUT ${base}/workspace/documents/plan.md`;

/** A team whose question was answered and whose document was written over; gives the event before both. */
async function written(): Promise<[home: string, then: number]> {
  const cast = await createCast(chips, 0);
  const home = newFolder({ "config.yaml": cast.config });
  await serveHere(home);
  await ask(home, "POST /agents", { goal: cast.goal, name: "landscape" });
  const question = async () => (await ask(home, `GET ${base}/questions`)).body.items[0];
  await expect.poll(question).toBeDefined();
  const { body } = await ask(home, document, { text: "# The plan\n\nFirst the vendors.\n" });
  const { items } = (await ask(home, `GET ${base}/versions?path=documents/plan.md`)).body;
  await ask(home, `POST ${base}/respond`, { question_id: (await question()).id, response: "One page" });
  await expect.poll(question).toMatchObject({ status: "answered" });
  const later = { text: "# The plan\n\nOnly what is sold.\n" };
  expect((await ask(home, document, later, { "if-match": `"${body.sha256}"` })).status).toBe(200);
  return [home, items[0].seq];
}

/** All three are there, and a node opens as it was. */
async function onPhone(home: string, then: number): Promise<void> {
  const at = `/app/agents/landscape/time?at=${then}`;
  const { page, misdeeds } = await openWindow(home, { phone: true, path: `${at}&show=talk` });
  const moment = page.locator(`.moment[data-seq='${then}']`);
  const asked = moment.getByRole("region", { name: "Question from Carol, open then" });
  await asked.waitFor();
  expect((await asked.boundingBox())!.width).toBeLessThanOrEqual(390);
  await moment.getByRole("tab", { name: "Files" }).click();
  await moment.getByRole("button", { name: /plan\.md/ }).click();
  await moment.getByText("First the vendors.").waitFor();
  await moment.getByRole("button", { name: "Back to the list" }).click();
  await moment.getByRole("button", { name: "vendors.md n1", exact: true }).waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await moment.getByRole("tab", { name: "Graph" }).click();
  await moment.locator("[data-node^=n5-]").click();
  const drawer = page.getByRole("complementary", { name: /Node n5/ });
  await drawer.getByRole("tab", { name: "Files" }).click();
  await drawer.getByText("The log does not record scratch files of that time.").waitFor();
  expect(new URL(page.url()).search).toContain(`at=${then}`);
  await page.keyboard.press("Escape");
  await expect.poll(() => drawer.count()).toBe(0);
  await moment.waitFor();
  expect(misdeeds).toEqual([]);
}

describe.skipIf(!hasBrowser)("the past", () => {
  test("before an answer the question is open without a button, a document says what it said, a link leads there, esc leads back; also on a phone", async () => {
    const [home, then] = await written();
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/landscape/time" });
    const slider = page.getByRole("slider", { name: "Event" });
    await slider.fill(String(then));
    const moment = page.locator(`.moment[data-seq='${then}']`);
    await moment.getByRole("tab", { name: "Graph" }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => moment.getByRole("tab", { name: "Talk" }).getAttribute("aria-selected")).toBe("true");
    const open = moment.getByRole("region", { name: "Question from Carol, open then" });
    await open.getByText("Are chips that are only sold in China in?").waitFor();
    await open.getByText("Full section").waitFor();
    expect(await open.getByRole("button").count()).toBe(0);
    expect(await moment.getByRole("textbox").count()).toBe(0);
    await moment.getByText("You are viewing the past; it is read-only.").waitFor();
    await page.getByRole("combobox", { name: "Whose thread" }).selectOption("Carol");
    await moment.locator("[data-thread=carol]").getByText("Began n5-cloud").waitFor();
    await page.getByRole("combobox", { name: "Whose thread" }).selectOption("Coordinator");

    const address = () => new URL(page.url()).search;
    await expect.poll(address).toBe(`?at=${then}&show=talk`);
    await page.reload();
    await open.waitFor();

    await slider.focus();
    for (let step = 0; step < 3; step++) await page.keyboard.press("ArrowLeft");
    await page.locator(`.moment[data-seq='${then - 3}'] [data-then='${then - 3}'][data-thread]`).waitFor();
    for (let step = 0; step < 3; step++) await page.keyboard.press("ArrowRight");
    await open.waitFor();

    await moment.getByRole("tab", { name: "Files" }).click();
    await moment.getByText("The log does not record scratch files").waitFor();
    await moment.getByRole("button", { name: /plan\.md/ }).click();
    await moment.getByText("First the vendors.").waitFor();
    await moment.getByText("version 1, written by You").waitFor();
    await moment.getByRole("button", { name: "vendors.md n1", exact: true }).click();
    await moment.getByRole("heading", { name: "23 vendors, 9 of them sell to others" }).waitFor();
    await moment.getByRole("button", { name: /n5-cloud-silicon/ }).click();
    await moment.getByText("two sources for every number").first().waitFor();
    await moment.getByRole("button", { name: /plan\.md/ }).click();
    await expect.poll(address).toContain("plan.md");
    await page.reload();
    await moment.getByText("First the vendors.").waitFor();
    expect(await page.getByText("Only what is sold.").count()).toBe(0);
    await slider.fill(String(then - 1));
    await page.getByText("It did not exist", { exact: true }).waitFor();

    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".moment").count()).toBe(0);
    await expect.poll(address).toBe("");
    await slider.fill("3");
    await page.locator(".moment[data-seq='3']").getByRole("tab", { name: "Files", selected: true }).waitFor();
    expect(misdeeds).toEqual([]);

    await onPhone(home, then);
  });

  test("sliding over many events with the thread or the files open keeps the document small and comes to rest where one lets go", async () => {
    const home = newFolder({});
    writeBig(home, 400);
    await serveHere(home);
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/chips/time?at=1500&show=talk" });
    await page.locator("[data-thread][data-then='1500']").waitFor();
    const track = (await page.locator(".track").boundingBox())!;
    for (const show of ["talk", "files"]) {
      await page.locator(".moment").getByRole("tab", { name: show }).click();
      await page.mouse.move(track.x + track.width * 0.8, track.y + 40);
      await page.mouse.down();
      await page.mouse.move(track.x + track.width * 0.4, track.y + 40, { steps: 15 });
      await page.mouse.up();
      const seq = await page.locator(".moment").getAttribute("data-seq");
      await page.locator(`.moment [data-then='${seq}']`).waitFor();
      await expect.poll(() => new URL(page.url()).search).toContain(`at=${seq}`);
      expect(await page.evaluate<number>(`document.querySelectorAll(".moment *").length`)).toBeLessThan(900);
    }
    expect(misdeeds).toEqual([]);
  });
});

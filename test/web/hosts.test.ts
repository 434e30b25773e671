/** A host that a command wants to reach, asked in Needs you and in Talk: what is shown, and what each of the four answers does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { machine } from "../../src/lib/machine/index.ts";
import type { Event } from "../../src/schema/event.ts";
import { ask, serveHere } from "../daemon.ts";
import { newFolder } from "../program.ts";
import { of } from "../scenarios/log.ts";
import { createCast } from "./cast.ts";
import { reachers } from "./teams.ts";
import { hasBrowser, openWindow } from "./window.ts";

const missing = await machine.processes.sandbox(true);
if (missing) console.warn(`the test of hosts on the page is left out: ${missing}`);
const path = "/app/needs-you";

/** Four workers, each of whom asks about a host. */
async function openReachers() {
  const cast = await createCast(reachers);
  const home = newFolder({ "config.yaml": `# mine\n${cast.config}` });
  await serveHere(home);
  await ask(home, "POST /agents", { goal: cast.goal, name: "prices" });
  const events = async (): Promise<Event[]> => (await ask(home, "GET /agents/prices/events?limit=1000")).body.items;
  const asked = async () => of(await events(), "question.asked").map(({ data }) => data);
  const results = async (who: string) =>
    of(await events(), "tool.ended").flatMap(({ data }) =>
      data.participant === who && data.tool === "bash" ? [data.result] : [],
    );
  await expect.poll(asked).toHaveLength(4);
  return { home, events, asked, results };
}

const answers = ["1 This time", "2 This run", "3 Always", "4 No"];

describe.skipIf(!hasBrowser || missing)("a host that a command wants to reach", () => {
  test("is shown with the command, who and why; each answer does what it says, by mouse and by keys", async () => {
    const { home, asked, events, results } = await openReachers();
    const { page, misdeeds } = await openWindow(home, { path });
    await page.clock.install();
    const focus = (host: string) => page.getByRole("region", { name: `Approval: Reach ${host}?` });
    const open = (host: string) => page.getByRole("button", { name: `Approval: Reach ${host}?` }).click();
    const sent = async (said: RegExp) => {
      await page.getByText(said).first().waitFor();
      await page.clock.fastForward(8_100);
    };

    await open("api.prices.invalid");
    const card = focus("api.prices.invalid");
    await card.getByRole("heading", { name: "May a command reach api.prices.invalid?" }).waitFor();
    const shown = await card.innerText();
    expect(shown).toContain("Ada wants to reach a host, prices");
    expect(shown).toContain("For n1-prices-of-today: Prices of today");
    expect(shown).toContain("curl -sS https://api.prices.invalid/v1/today?chip=h200 | tee price.txt");
    for (const name of answers) expect(await card.getByRole("button", { name }).count()).toBe(1);

    // This time: by a key. The command goes on, and the next one of the same worker asks again.
    await page.keyboard.press("1");
    await sent(/Allowed this time: api\.prices\.invalid/);
    await expect
      .poll(() => results("ada"))
      .toEqual([expect.stringContaining("[api.prices.invalid was not reached: its name was not found]")]);
    await expect.poll(asked).toHaveLength(5);
    expect((await asked()).at(-1)?.host).toMatchObject({ host: "api.prices.invalid", tainted: true });

    // This run: by the mouse. The next command does not ask.
    await open("archive.prices.invalid");
    await focus("archive.prices.invalid").getByRole("button", { name: "2 This run" }).click();
    await sent(/Allowed this run: archive\.prices\.invalid/);
    await expect.poll(() => results("ben")).toHaveLength(2);

    // Always: in the config, which is otherwise as it was.
    await open("rates.invalid");
    await focus("rates.invalid").getByRole("button", { name: "3 Always" }).press("Enter");
    await sent(/Allowed always: rates\.invalid/);
    await expect.poll(() => results("cleo")).toHaveLength(2);
    const config = () => readFileSync(join(home, "config.yaml"), "utf8");
    await expect.poll(config).toMatch(/^# mine\nmodel: [\s\S]*\nsandbox:\n {2}network: \["rates\.invalid"\]\n$/);

    // No, with a reason: in the thread of the worker. It is about all registries.
    await page.goto(page.url().replace("needs-you", "agents/prices/talk?with=dan"));
    const thread = page.getByRole("region", { name: "Approval for Dan" });
    await thread.getByText("May a command of Dan reach pypi.org?").waitFor();
    const said = await thread.innerText();
    expect(said).toContain("Your answer counts for the usual ones: npm, PyPI, crates");
    expect(said).toContain("For n4-a-chart-of-both: A chart of both");
    expect(said).toContain("python3 -m pip install --retries 0 --target lib matplotlib");
    for (const name of answers) expect(await thread.getByRole("button", { name }).count()).toBe(1);
    await thread.getByLabel("Why not").fill("draw it by hand");
    await thread.getByLabel("Why not").press("Enter");
    await sent(/Denied: pypi\.org, draw it by hand/);
    const [first] = await expect
      .poll(() => results("dan"))
      .toHaveLength(2)
      .then(() => results("dan"));
    expect(first).toContain("[pypi.org was not reached: the human said no: draw it by hand]");

    const opened = of(await events(), "host.opened").map(({ data }) => [data.participant, data.host, data.question]);
    expect(opened.filter(([, host]) => host === "pypi.org")).toEqual([]);
    expect(opened.filter(([who]) => who === "ben").map(([, , question]) => question)).toHaveLength(2);
    expect(misdeeds).toEqual([]);
  });

  test("in the thread is answered by keys while it is seen; in a narrow window no word of an answer is broken", async () => {
    const { home, results } = await openReachers();
    const { page, misdeeds } = await openWindow(home, { path: "/app/agents/prices/talk?with=cleo", phone: true });
    await page.clock.install();
    const thread = page.getByRole("region", { name: "Approval for Cleo" });
    await thread.getByRole("button", { name: "3 Always" }).waitFor();
    const boxes = await Promise.all((await thread.locator(".opt .t").all()).map((one) => one.boundingBox()));
    expect(new Set(boxes.map((box) => box?.height)).size).toBe(1);
    await page.keyboard.press("4");
    await page
      .getByText(/Denied: rates\.invalid/)
      .first()
      .waitFor();
    await page.clock.fastForward(8_100);
    await expect
      .poll(() => results("cleo"))
      .toEqual([1, 2].map(() => expect.stringContaining("[rates.invalid was not reached: the human said no]")));
    expect(misdeeds).toEqual([]);
  });
});

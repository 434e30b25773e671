/** Every page: whatever is said in a log is only text on it, and nobody is kept out of it. What pages.test.ts looks at is not looked at again. */
import { describe, expect, test } from "vitest";
import { serveHere } from "../daemon.ts";
import { newFolder } from "../program.ts";
import { findings } from "./findings.ts";
import { surfaces, writeHostile } from "./logs.ts";
import { go, hasBrowser, openWindow } from "./window.ts";

const of = "/app/agents/evil";
/** With what is there once it is drawn, and was not on the page before. */
const pages: [path: string, there: string][] = [
  [`${of}/talk`, ".vrow"],
  [`${of}/graph`, "[data-node]"],
  [`${of}/talk?with=eve`, ".vrow"],
  [`${of}/time`, "[data-lane]"],
  [`${of}/talk?with=channel`, ".vrow"],
  [`${of}/decisions?of=r1/p1`, ".vote-card"],
  ["/app/new", ".goal"],
];

describe.skipIf(!hasBrowser)("every page", () => {
  test("T11 T13 shows every text of a log as text: nothing runs, nothing is asked of others", async () => {
    const { page, misdeeds } = await house();
    const seen = new Set<number>();
    const look = async () => {
      const text = await page.evaluate<string>(
        "[document.body.innerText, ...[...document.querySelectorAll('[title],[aria-label]')].map((one) => one.title + one.ariaLabel)].join('\\n')",
      );
      for (const [, n] of text.matchAll(/alert\((\d+)\)/g)) seen.add(Number(n));
      const strange = "#root script, #root img, #root iframe, #root object, [onerror], a[href^='javascript' i]";
      expect(await page.locator(strange).count()).toBe(0);
    };
    const visit = async (path: string, there: string) => {
      await go(page, path, there);
      await look();
    };
    for (const [path, there] of pages) {
      await visit(path, there);
      for (const call of await page.locator("button.call").all()) await call.click();
      await look();
    }
    await visit("/app/needs-you", ".it");
    for (const row of await page.locator(".it").all()) {
      await row.click();
      await look();
    }
    await visit(`${of}/graph`, "[data-node]");
    for (const tab of ["Board", "List"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.locator("[data-node]").first().waitFor();
      await look();
    }
    for (const node of ["n1", "n2"]) {
      await page.locator(`[data-node^=${node}-]`).first().click();
      const drawer = page.getByRole("complementary", { name: /^Node/ });
      await drawer.waitFor();
      for (const tab of await drawer.getByRole("tab").all()) {
        await tab.click();
        await look();
      }
      await page.keyboard.press("Escape");
    }
    await visit(`${of}/time`, "[data-lane]");
    const slider = page.getByRole("slider", { name: "Event" });
    await slider.fill(String(Number(await slider.getAttribute("max")) - 3));
    await page.locator(".moment").waitFor();
    await look();
    await page.keyboard.press("ControlOrMeta+k");
    for (const words of ["#", "@"]) {
      await page.getByRole("combobox").fill(words);
      await look();
    }
    const missing = Object.entries(surfaces).filter(([n]) => !seen.has(Number(n)));
    expect(missing).toEqual([]);
    // What a log tells of and no disk has: its files.
    expect(misdeeds.filter((one) => !/404 \(Not Found\)/.test(one))).toEqual([]);
  });

  test("axe finds nothing serious, in the dark and in light on a phone, and no page is wider than the window", async () => {
    const home = newFolder({ "config.yaml": `embeddings: "off"\n` });
    writeHostile(home, "evil");
    await serveHere(home);
    const found: string[] = [];
    for (const options of [{ theme: "dark" as const }, { phone: true }]) {
      const { page, misdeeds } = await openWindow(home, { ...options, path: "/app/settings" });
      const check = async (what: string) => {
        found.push(...(await findings(page)).map((finding) => `${what}: ${finding}`));
        if (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) found.push(`${what} is too wide`);
      };
      await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
      for (const [path, there] of pages) {
        await go(page, path, there);
        await check(path);
      }
      await go(page, `${of}/graph`, "[data-node]");
      await page.getByRole("tab", { name: "Board" }).click();
      await page.locator(".kanban [data-node]").first().waitFor();
      await check("board");
      await page.getByRole("tab", { name: "List" }).click();
      await page.locator(".nlist [data-node]").first().click();
      await page.getByRole("complementary", { name: /^Node/ }).waitFor();
      await check("list and drawer");
      found.push(...misdeeds.filter((one) => !/404 \(Not Found\)/.test(one)));
    }
    expect(found).toEqual([]);
  });
});

async function house() {
  const home = newFolder({ "config.yaml": `embeddings: "off"\n` });
  writeHostile(home, "evil");
  await serveHere(home);
  return await openWindow(home, { path: "/app/settings" });
}

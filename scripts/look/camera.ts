/** Takes pictures of a page in every look: light, dark, and at the width of a phone. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openWindow, type WindowOptions } from "../../test/web/window.ts";

const looks: Record<string, WindowOptions> = { light: {}, dark: { theme: "dark" }, phone: { phone: true } };

export interface Shot {
  page: Page;
  isPhone: boolean;
  /** Writes NAME-LOOK.png once the page has come to rest. */
  shoot(name: string): Promise<void>;
  /** To another address of the same daemon. */
  visit(path: string): Promise<void>;
}

/** Opens the path in a new window of each look and does the work there. Whatever the page should not have done is printed. */
export async function inEveryLook(
  folder: string,
  home: string,
  path: string,
  work: (shot: Shot) => Promise<unknown>,
): Promise<void> {
  for (const [look, options] of Object.entries(looks)) {
    const { page, context, misdeeds } = await openWindow(home, { ...options, path });
    await work({
      page,
      isPhone: options.phone ?? false,
      async shoot(name) {
        await rest(page);
        await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
      },
      async visit(to) {
        await page.goto(new URL(to, page.url()).href);
      },
    });
    for (const misdeed of misdeeds) console.log(`${path} ${look}: ${misdeed}`);
    await context.close();
  }
}

/** Nothing says when a page has drawn all it will draw: this long it has time to. */
const rest = (page: Page) => page.waitForTimeout(900);

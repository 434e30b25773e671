/** The tree of files on the pages Files and Memory. */
import type { Locator, Page } from "playwright-core";

export const row = (page: Page, name: string): Locator =>
  page.locator(".tr", { has: page.getByText(name, { exact: true }) });
/** Names the file in the address of the page, which is there already. */
export async function goTo(page: Page, path: string): Promise<void> {
  await row(page, "SOUL.md").waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
}

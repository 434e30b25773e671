/** What axe finds on a page as it is when nothing moves any more. */
import axe from "axe-core";
import type { Page } from "playwright-core";

/** The serious ones. */
export async function findings(page: Page): Promise<string[]> {
  // Once per document: to read it and to warm it up takes longer than to run it.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  await page.evaluate(atRest);
  const run = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)";
  const violations = await page.evaluate<axe.Result[]>(run);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

/** Half faded in, words have little contrast. */
const atRest = `Promise.allSettled(document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
  .map((one) => one.finished))`;

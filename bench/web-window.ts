/**
 * A Chromium window for the bench, and what can be read off it: frames while something moves, the work of its main thread, what it holds.
 * Frames are those of a browser without a screen and without a graphics card: an empty page in the same window is the baseline.
 */
import { existsSync } from "node:fs";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";
import { quantile } from "./rounds.ts";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);
export const hasBrowser = program !== undefined;

export interface Moved {
  fps: number;
  /** The longest that nineteen of twenty frames took. */
  p95: number;
  /** Milliseconds of the main thread per frame: all, scripts, layout and style. */
  work: number;
  script: number;
  layout: number;
}

export interface Window {
  page: Page;
  /** Calls `step` (a function, as text) before each of so many frames. */
  frames(count: number, step?: string): Promise<Moved>;
  /** Megabytes and elements, after everything that nobody holds is gone. */
  held(): Promise<{ mb: number; nodes: number; listeners: number }>;
  /** Milliseconds of the main thread since the window was opened. */
  work(): Promise<number>;
  close(): Promise<void>;
}

export async function openWindow(): Promise<Window> {
  const browser: Browser = await chromium.launch({ executablePath: program!, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  return {
    page,
    async frames(count, step = "() => undefined") {
      const before = await metrics(session);
      const gaps = (await page.evaluate(`(${measured})(${count}, ${step})`)) as number[];
      const after = await metrics(session);
      const each = (name: string) => ((after[name]! - before[name]!) * 1000) / count;
      return {
        fps: (1000 * count) / gaps.reduce((sum, gap) => sum + gap, 0),
        p95: quantile(gaps, 0.95),
        work: each("TaskDuration"),
        script: each("ScriptDuration"),
        layout: each("LayoutDuration") + each("RecalcStyleDuration"),
      };
    },
    async held() {
      for (let round = 0; round < 3; round++) await session.send("HeapProfiler.collectGarbage");
      const found = await metrics(session);
      return { mb: found.JSHeapUsedSize! / 1e6, nodes: found.Nodes!, listeners: found.JSEventListeners! };
    },
    work: async () => (await metrics(session)).TaskDuration! * 1000,
    close: () => browser.close(),
  };
}

/** In the page. */
const measured = `async (count, step) => {
  const gaps = [];
  let last = await new Promise(requestAnimationFrame);
  for (let nth = 0; nth < count; nth++) {
    step(nth);
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last);
    last = now;
  }
  return gaps;
}`;

async function metrics(session: CDPSession): Promise<Record<string, number>> {
  const { metrics: found } = await session.send("Performance.getMetrics");
  return Object.fromEntries(found.map(({ name, value }) => [name, value]));
}

/** A real Chromium window at the page of a real daemon. Whatever the page should not do (a script of others, a dialog, a foreign request, an
 * error) is kept in `misdeeds`, and every test looks at the end that there was none. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterThisTest } from "../../src/lib/cleanup.test-help.ts";
import { ask, daemonFile } from "../daemon.ts";

/** The first that is there. A window of the headless shell takes two thirds of the processor time of one of Chromium, and is the same engine. */
const programs = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const program = programs.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));
/** Tests of the page leave themselves out where there is no browser, and say so; where every change is tested they fail instead. */
export const hasBrowser = program !== undefined;
if (!hasBrowser) {
  const missing = "There is no Chromium on this machine (apt-get install chromium): the tests of the page";
  if (process.env.CI) throw new Error(`${missing} cannot run, and in CI they must.`);
  console.warn(`${missing} are left out.`);
}

/**
 * What a test does not need and every window would pay for: Chromium 156 loads two pages of its own (the list under its address bar) and starts a
 * process in reserve, more than half of the processor time of a window. The last of these switches counts, so Playwright's own list stands here too.
 */
const unused = [
  "WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess",
  "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,DialMediaRouteProvider,GlobalMediaControls,HttpsUpgrades,LensOverlay",
  "MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,BlockOriginHeaderModificationOnRedirect,Translate,AutoDeElevate,OptimizationHints",
];
/** One for all tests of this process; it ends with it. */
let browser: Browser | undefined;

export interface WindowOptions {
  theme?: "dark" | "light";
  phone?: boolean;
  /** Where to begin. */
  path?: string;
  /** Of a wire to the daemon; its own if missing. */
  port?: number;
}

export interface Window {
  page: Page;
  context: BrowserContext;
  misdeeds: string[];
}

export async function openWindow(
  home: string,
  { theme = "light", phone, path = "/app", port = daemonFile(home)!.port }: WindowOptions = {},
): Promise<Window> {
  browser ??= await chromium.launch({
    executablePath: program!,
    args: ["--no-sandbox", `--disable-features=${unused}`],
  });
  const size = phone ? { width: 390, height: 844 } : { width: 1440, height: 900 };
  const context = await browser.newContext({ viewport: size, colorScheme: theme, deviceScaleFactor: phone ? 2 : 1 });
  afterThisTest(() => context.close());
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const misdeeds = watch(page);
  const { body } = await ask(home, "POST /session/code", {});
  await page.goto(`http://127.0.0.1:${port}${path}#code=${body.code}`);
  // Whoever leaves the page before the code is exchanged has spent it and is not let in.
  await isLetIn(page);
  return { page, context, misdeeds };
}

/** Not `waitForFunction`: the page allows nobody to make code of a text. */
async function isLetIn(page: Page): Promise<void> {
  while (!(await page.evaluate("localStorage.getItem('agiraph.session')"))) await page.waitForTimeout(10);
}

/**
 * To another page in the same window, as a link leads there: nothing is loaded again, which took half of the time of whoever looks at every page.
 * `there` is what is on that page once it is drawn, and not on the one before it.
 */
export async function go(page: Page, path: string, there: string): Promise<void> {
  if (await page.locator(there).count()) throw new Error(`${there} is on this page already, before ${path}`);
  await page.evaluate(`history.pushState({}, "", ${JSON.stringify(path)})`);
  await page.locator(there).first().waitFor();
}

/** What the browser itself says when a connection to the daemon broke off or none could be made. */
export const ofNoDaemon =
  /net::ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)$/;

function watch(page: Page): string[] {
  const misdeeds: string[] = [];
  page.on("dialog", (dialog) => {
    misdeeds.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => misdeeds.push(`error: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    // The machine got or lost a network interface. Whoever takes the daemon away expects more (`ofNoDaemon`).
    if (message.type() === "error" && !message.text().includes("net::ERR_NETWORK_CHANGED"))
      misdeeds.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (/^https?:$/.test(protocol) && hostname !== "127.0.0.1") misdeeds.push(`request: ${request.url()}`);
  });
  return misdeeds;
}

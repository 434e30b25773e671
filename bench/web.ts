/**
 * The page for people in a real Chromium at a real daemon: how much it loads, how soon it is there, how soon an event is painted, how a long
 * thread scrolls, and whether a window that watches for long grows. Left out, and said so, where there is no Chromium.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import { createClient } from "../src/client/index.ts";
import type { Bench, Figure } from "./figure.ts";
import { repository } from "./place.ts";
import { pause, quantile } from "./rounds.ts";

const browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);
const loads = 7;
const pings = 60;

export const web: Bench = {
  name: "web",
  about:
    "The page at a real daemon: its size, its first load, from an event to the screen, a long thread, a window that watches.",
  async run(place) {
    execFileSync(process.execPath, ["scripts/web.ts"], { cwd: repository });
    const figures = [bundle()];
    if (!browser) return figures;
    const home = place.folder("web");
    writeFileSync(join(home, "config.yaml"), "model: none/none\nembeddings: off\n");
    const daemon = await up(home);
    const launched = await chromium.launch({
      executablePath: browser,
      args: ["--no-sandbox", "--enable-precise-memory-info"],
    });
    try {
      const page = await launched.newPage();
      await page.goto(`${daemon.url}/app#code=${await daemon.code()}`);
      await page.getByText("Live", { exact: true }).waitFor();
      const messages = Math.round(10_000 * place.size);
      await daemon.fill("long", messages);
      await daemon.fill("watched", 20);
      figures.push(await firstLoad(page, `${daemon.url}/app/agents/watched/talk`));
      figures.push(await painted(page, () => daemon.say("watched", `ping ${Date.now()}`)));
      figures.push(await growth(page, daemon, Math.round(4_000 * place.size)));
      figures.push(await scrolled(page, `${daemon.url}/app/agents/long/talk`, messages));
      return figures;
    } finally {
      await launched.close();
      const ended = new Promise((resolve) => daemon.child.once("close", resolve));
      daemon.child.kill("SIGTERM");
      await ended;
    }
  },
};

/** What must be there before anything is seen: what index.html names, and what that imports at once. */
function bundle(): Figure {
  const folder = join(repository, "dist/web");
  const seen = new Set<string>();
  const follow = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const text = readFileSync(join(folder, "assets", name), "utf8");
    for (const [, found] of text.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)) follow(found!);
  };
  const page = readFileSync(join(folder, "index.html"), "utf8");
  for (const [, found] of page.matchAll(/assets\/([\w.-]+\.(?:js|css))/g)) follow(found!);
  const kb =
    [...seen].reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, "assets", name))).length, 0) / 1000;
  const all = readdirSync(join(folder, "assets")).length;
  return figure(
    "first bundle",
    kb,
    "kB gzip",
    250,
    `${seen.size} of ${all} files; the others come when they are needed`,
  );
}

async function firstLoad(page: Page, address: string): Promise<Figure> {
  const took: number[] = [];
  for (let round = 0; round < loads; round++) {
    await page.goto("about:blank");
    const began = performance.now();
    await page.goto(address);
    await page.locator(".vrow").last().waitFor();
    took.push(performance.now() - began);
  }
  return figure("first load", quantile(took, 0.5), "ms", 1_000, `to the last words of a thread; median of ${loads}`);
}

/** From before the words are sent, over the disk, to the frame after they are in the document. */
async function painted(page: Page, ping: () => Promise<unknown>): Promise<Figure> {
  await page.evaluate(`
    globalThis.painted = [];
    const seen = new Set();
    new MutationObserver(() => {
      for (const [, sent] of document.querySelector(".thread").textContent.matchAll(/ping (\\d{13})/g)) {
        if (seen.has(sent)) continue;
        seen.add(sent);
        requestAnimationFrame(() => painted.push(Date.now() - sent));
      }
    }).observe(document.querySelector(".thread"), { childList: true, subtree: true, characterData: true });
  `);
  for (let round = 0; round < pings; round++) {
    await ping();
    await pause(50);
  }
  await pause(500);
  const took = (await page.evaluate("painted")) as number[];
  const note = `p95 of ${took.length}, median ${Math.round(quantile(took, 0.5))} ms; with the way of the words to the disk and back`;
  return figure("event to painted", quantile(took, 0.95), "ms", 100, note);
}

async function scrolled(page: Page, address: string, messages: number): Promise<Figure> {
  await page.goto(address);
  await page.locator(".vrow").last().waitFor();
  await pause(500);
  const fps = (await page.evaluate(`(async () => {
    const thread = document.querySelector(".thread");
    const began = performance.now();
    const frames = 300;
    for (let frame = 0; frame < frames; frame++) {
      await new Promise(requestAnimationFrame);
      thread.scrollTop -= 80;
    }
    return frames / ((performance.now() - began) / 1000);
  })()`)) as number;
  return {
    ...figure("thread scrolls", fps, "fps", 55, `${messages} messages, 80 px a frame`),
    goal: "≥ 55",
    ok: fps >= 55,
  };
}

/** How much more a window holds after many events than after as many before. */
async function growth(page: Page, daemon: Daemon, events: number): Promise<Figure> {
  const session = await page.context().newCDPSession(page);
  const held = async () => {
    await pause(500);
    await session.send("HeapProfiler.collectGarbage");
    return ((await page.evaluate("performance.memory.usedJSHeapSize")) as number) / 1e6;
  };
  await daemon.fill("watched", events);
  const before = await held();
  await daemon.fill("watched", events);
  const more = (await held()) - before;
  return {
    ...figure("a window grows", more, "MB", 30, `by ${events} messages after ${events} others`),
    ok: more <= 30,
  };
}

function figure(name: string, value: number, unit: string, most: number, note: string): Figure {
  return { name, value, unit, baseline: null, ratio: null, goal: `≤ ${most}`, ok: value <= most, note };
}

interface Daemon {
  child: ChildProcess;
  url: string;
  code(): Promise<string>;
  say(agent: string, message: string): Promise<unknown>;
  /** Makes the agent, paused, if it is not there, and says so much to it. */
  fill(agent: string, messages: number): Promise<void>;
}

async function up(home: string): Promise<Daemon> {
  const args = [join(repository, "bin/agiraph.mjs"), "--home", home, "up", "--port", "0"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise<void>((resolve) =>
    child.stdout!.on("data", (bytes) => String(bytes).includes("ready in") && resolve()),
  );
  const { port, token } = JSON.parse(readFileSync(join(home, "daemon.json"), "utf8")) as {
    port: number;
    token: string;
  };
  const url = `http://127.0.0.1:${port}`;
  const client = createClient({ url, token });
  const known = new Set<string>();
  const say = (agent: string, message: string) => client.send({ params: { agent }, body: { message } });
  return {
    child,
    url,
    code: async () => (await client.createCode({ body: {} })).code,
    say,
    async fill(agent, messages) {
      if (!known.has(agent)) {
        known.add(agent);
        await client.createAgent({ body: { goal: "To be looked at", name: agent, start: false } });
        await client.startRun({ params: { agent }, body: {} });
        await client.pauseAgent({ params: { agent }, body: {} });
      }
      for (let at = 0; at < messages; at += 50)
        await Promise.all(
          Array.from({ length: Math.min(50, messages - at) }, (_, index) =>
            say(agent, `Message ${at + index} with **some** words:\n\n- one\n- two ${"x".repeat((at + index) % 200)}`),
          ),
        );
    },
  };
}

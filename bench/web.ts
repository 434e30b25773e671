/**
 * The page for people in a real Chromium at a real daemon: how much it loads, how soon it is there, how soon an event is painted, how a long
 * thread scrolls, how a big graph pans, and whether a window that watches for an hour grows. Left out, and said so, where there is no Chromium.
 */
import { execFileSync } from "node:child_process";
import { firstBundle, mostFirstBundle } from "../scripts/first-bundle.ts";
import { writeTalk } from "../test/web/logs.ts";
import { writeBig } from "../test/web/teams.ts";
import type { Bench, Figure } from "./figure.ts";
import { repository } from "./place.ts";
import { median, pause, quantile } from "./rounds.ts";
import { type Daemon, up, words } from "./web-house.ts";
import { hasBrowser, type Moved, openWindow, type Window } from "./web-window.ts";

const loads = 9;
const pings = 100;
const rounds = 3;
/** A window keeps 12,000 events of an agent at most. */
const kept = 13_000;
/** A machine that cannot take an hour's events in so long is said to have missed it. */
const mostMs = 240_000;

export const web: Bench = {
  name: "web",
  about:
    "The page at a real daemon in a real Chromium without a graphics card: its size, its first load, from an event to the screen, a long thread, a big graph, an hour of watching.",
  async run(place) {
    execFileSync(process.execPath, ["scripts/web.ts"], { cwd: repository });
    const figures = [bundle()];
    if (!hasBrowser) return figures;
    const home = place.folder("web");
    const messages = Math.round(10_000 * place.size);
    writeTalk(home, "long", messages, words);
    writeTalk(home, "watched", 200, words);
    writeBig(home, 500); // chips
    const daemon = await up(home);
    const window = await openWindow();
    const open = (path: string) => window.page.goto(`${daemon.url}/app${path}`);
    try {
      await open(`#code=${await daemon.code()}`);
      await window.page.getByText("Live", { exact: true }).waitFor();
      figures.push(await firstLoad(window, `${daemon.url}/app/agents/watched/talk`));
      figures.push(await painted(window, daemon));
      await open("/agents/long/talk");
      await wholeThread(window);
      figures.push(
        await moving(window, "thread scrolls", 55, scrolling, `all ${messages} messages loaded, 80 px a frame`),
      );
      await open("/agents/chips/graph");
      await window.page.locator("[data-node=n500-source-500]").waitFor();
      figures.push(await moving(window, "graph pans", 50, panning, "500 nodes, 12 px a frame"));
      await daemon.create("busy");
      await open("/agents/busy/talk");
      figures.push(await growth(window, daemon, Math.round(72_000 * place.size)));
      return figures;
    } finally {
      await window.close();
      await daemon.stop();
    }
  },
};

function bundle(): Figure {
  const { files, size, all } = firstBundle(repository);
  const lazy = ["graph", "editor", "highlight"].filter((part) => ![...files].some((name) => name.startsWith(part)));
  return {
    name: "first bundle",
    value: size,
    unit: "kB gzip",
    ...against(size, all.size),
    goal: `≤ ${mostFirstBundle}`,
    ok: size <= mostFirstBundle && lazy.length === 3,
    note: `${files.size} of ${all.count} files, against all of them; ${lazy.join(", ")} come when they are needed`,
  };
}

/** To the last words of a thread; against an empty page of the same daemon. */
async function firstLoad({ page }: Window, address: string): Promise<Figure> {
  const took: number[] = [];
  const bare: number[] = [];
  const timed = async (load: () => Promise<unknown>) => {
    await page.goto("about:blank");
    const began = performance.now();
    await load();
    return performance.now() - began;
  };
  for (let round = 0; round < loads; round++) {
    bare.push(await timed(() => page.goto(new URL("/health", address).href)));
    took.push(
      await timed(async () => {
        await page.goto(address);
        await page.locator(".vrow").last().waitFor();
        await page.getByLabel(/^Message/).waitFor();
      }),
    );
  }
  const value = median(took);
  return {
    name: "first load",
    value,
    unit: "ms",
    ...against(value, median(bare)),
    goal: "< 1 000",
    ok: value < 1000,
    note: `to the last words of a thread and a field to write into; median of ${loads}, against an empty answer in the same window`,
  };
}

/**
 * From before the words are sent, over the disk, to the frame after they are in the document; against a stream that only hears of it. The
 * main thread's work is told as well, as it does not depend on what else the machine does.
 */
async function painted({ page, work }: Window, daemon: Daemon): Promise<Figure> {
  await page.evaluate(`
    globalThis.painted = {};
    const thread = document.querySelector(".thread");
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const { textContent } of addedNodes)
          for (const [, sent] of textContent.matchAll(/ping (\\d+)/g))
            if (!(sent in painted)) {
              painted[sent] = 0;
              requestAnimationFrame(() => setTimeout(() => (painted[sent] = Date.now())));
            }
    }).observe(thread, { childList: true, subtree: true });
  `);
  const hears = daemon.hear("watched");
  const sent: number[] = [];
  const before = await work();
  for (let nth = 0; nth < pings; nth++) {
    sent.push(Date.now());
    await daemon.say("watched", `ping ${nth}`);
    await pause(50);
  }
  await pause(500);
  const each = ((await work()) - before) / pings;
  const seen = (await page.evaluate("painted")) as Record<string, number>;
  const heard = await hears.stop();
  const took = sent.map((at, nth) => (seen[nth] ?? Number.POSITIVE_INFINITY) - at);
  const alone = sent.map((at, nth) => (heard[nth] ?? Number.POSITIVE_INFINITY) - at);
  const value = quantile(took, 0.95);
  return {
    name: "event to painted",
    value,
    unit: "ms",
    ...against(value, quantile(alone, 0.95)),
    goal: "< 100",
    ok: value < 100,
    note: `p95 of ${pings}, from before it is sent, over the disk, to the frame after it is there; median ${median(took).toFixed(0)} ms; against a stream that only hears of it; the page works ${each.toFixed(1)} ms for each`,
  };
}

/** Until there is nothing earlier. */
async function wholeThread({ page }: Window): Promise<void> {
  await page.locator(".vrow").last().waitFor();
  const first = page.locator(".thread").getByText("Know chips");
  for (let tries = 0; tries < 300 && (await first.count()) === 0; tries++) {
    await page.evaluate(`document.querySelector(".thread").scrollTop = 0`);
    await pause(100);
  }
  await first.first().waitFor();
  await page.evaluate(
    `(() => { const it = document.querySelector(".thread"); it.scrollTop = it.scrollHeight / 2; })()`,
  );
  await pause(500);
}

const scrolling = `(nth) => { document.querySelector(".thread").scrollTop += nth < 150 ? 80 : -80; }`;
const panning = `(nth) => {
  const pane = document.querySelector(".react-flow__pane");
  const tell = (type, target) => target.dispatchEvent(new MouseEvent(type, {
    bubbles: true, cancelable: true, view: window, button: 0, buttons: 1, clientX: 500 + (nth % 50) * 12, clientY: 800,
  }));
  if (nth % 50 === 0) tell("mousedown", pane);
  tell("mousemove", window);
  if (nth % 50 === 49) tell("mouseup", window);
}`;

/** Frames while it moves; against as many of an empty page before and after. */
async function moving(window: Window, name: string, least: number, step: string, what: string): Promise<Figure> {
  const address = window.page.url();
  const moved: Moved[] = [];
  for (let round = 0; round < rounds; round++) moved.push(await window.frames(300, step));
  await window.page.goto("about:blank");
  const empty: Moved[] = [];
  for (let round = 0; round < rounds; round++) empty.push(await window.frames(100));
  await window.page.goto(address);
  const middle = (field: keyof Moved) => median(moved.map((one) => one[field]));
  const value = middle("fps");
  return {
    name,
    value,
    unit: "fps",
    ...against(value, median(empty.map(({ fps }) => fps))),
    goal: `≥ ${least}`,
    ok: value >= least,
    note: `${what}, against an empty page; per frame the main thread works ${middle("work").toFixed(1)} ms (scripts ${middle("script").toFixed(1)}, layout and style ${middle("layout").toFixed(1)}); nineteen of twenty frames within ${middle("p95").toFixed(0)} ms`,
  };
}

/**
 * As many events as an hour of 20 a second brings, as fast as they are taken; what the window holds at the end against what it held when it
 * had as many as it keeps.
 */
async function growth(window: Window, daemon: Daemon, events: number): Promise<Figure> {
  const caughtUp = async (words: string) => {
    await daemon.say("busy", words);
    await window.page.locator(".thread").getByText(words).last().waitFor({ timeout: 60_000 });
  };
  await caughtUp("Mark one.");
  const [began, worked] = [performance.now(), await window.work()];
  const first = await daemon.fill("busy", kept, mostMs / 2);
  await caughtUp("Mark two.");
  const before = await window.held();
  const all = first + (await daemon.fill("busy", Math.max(kept, events - first), mostMs));
  await caughtUp("Mark three.");
  const after = await window.held();
  const seconds = (performance.now() - began) / 1000;
  const each = ((await window.work()) - worked) / all;
  return {
    name: "an hour of watching",
    value: after.mb,
    unit: "MB",
    ...against(after.mb, before.mb),
    goal: "≤ × 1.15",
    ok: after.mb <= before.mb * 1.15 && all >= events,
    note: `${all} events (an hour at this size: ${events}) in ${seconds.toFixed(0)} s, against what it held after the first ${first}, when it begins to forget; ${before.nodes} elements then and ${after.nodes} at the end, ${before.listeners} listeners and ${after.listeners}; the page works ${each.toFixed(2)} ms an event`,
  };
}

const against = (value: number, baseline: number) => ({ baseline, ratio: value / baseline });

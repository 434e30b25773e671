/**
 * A long log as real work makes it: the demo's team is played once through the real runtime (in virtual time, so at once), and its run is then
 * written again and again, each time with its own seqs, times, run and message numbers. Every line goes through the store's encode.
 *
 * Always holds: the log is one that the runtime could have written; it ends with a completed run, whose workspaces are there. So are all blobs that the
 * log names. Not here: the folders of earlier runs, and projections.
 */
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseScript } from "../src/backend/scripted.ts";
import { agentRoot } from "../src/home/layout.ts";
import { filesIn } from "../src/lib/files/tree.ts";
import { home as playedHome, start } from "../src/runtime/runtime.test-help.ts";
import type { Event } from "../src/schema/event.ts";
import { encode } from "../src/store/log-line.ts";
import { repository } from "./place.ts";

export const agent = "history";

export interface History {
  path: string;
  /** Writes whole runs, about this many events; returns the seq of the last one. `after` is the seq that the log ends with. */
  extend(count: number, after: number): number;
  /** Events by noun, in percent of one run. */
  mix: string;
}

export async function createHistory(home: string): Promise<History> {
  const root = agentRoot(home, agent);
  const path = join(root, "events.jsonl");
  mkdirSync(root, { recursive: true });
  const { events, contents } = await playOnce();
  const [created, ...run] = events;
  const again = repeat(run as Event[]);
  let runs = 0;

  function extend(count: number, after: number): number {
    const file = openSync(path, "a");
    let seq = after;
    let lines: string[] = [];
    if (seq === 0) lines.push(encode({ ...created!, ts: timeOf(++seq) }));
    for (const end = after + count; seq < end; seq += run.length) {
      for (const event of again(++runs, seq)) lines.push(encode(event));
      if (lines.length < 10_000) continue;
      write(file, lines.join(""));
      lines = [];
    }
    write(file, lines.join(""));
    closeSync(file);
    for (const [name, content] of contents) {
      const target = join(root, name.replace(/\br1\b/, `r${runs}`));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
    }
    return seq;
  }
  return { path, extend, mix: mixOf(run as Event[]) };
}

/** What the log of the played run says, and by their paths the files that it relies on: every run after it names the same content. */
interface Played {
  events: Event[];
  contents: Map<string, Buffer>;
}

async function playOnce(): Promise<Played> {
  const path = join(repository, "examples", "demo.yaml");
  const script = parseScript(readFileSync(path, "utf8"), path);
  const world = start({ script: script.participants });
  await world.begin();
  await world.create({ name: agent, goal: script.goal });
  await world.until(() => world.state(agent).agent?.status === "completed");
  await world.pass(10_000);
  // What belongs to the agent and not to the run happens once.
  const events = (await world.events(agent)).filter(
    ({ type, data }) => type !== "file.written" || (data as { path: string }).path.startsWith("runs/"),
  );
  const root = agentRoot(playedHome, agent);
  const contents = new Map<string, Buffer>();
  for (const name of await world.settled(filesIn((folder) => world.files().list(join(root, folder))))) {
    if (/^(blobs|repository)\/|\/(scratch|published)\//.test(name))
      contents.set(name, (await world.settled(world.files().read(join(root, name))))!);
  }
  return { events, contents };
}

/** The events of a run, as the `n`th run of a log that ends with `last`. */
function repeat(run: Event[]): (n: number, last: number) => Iterable<Event> {
  const places = new Map(run.map(({ seq }, index) => [seq, index + 1]));
  const messages = run.filter(({ type }) => type === "message.posted").length;

  return function* (n, last) {
    const seqOf = (seq: number) => (seq === 0 ? 0 : last + (places.get(seq) ?? 1));
    const named = (text: string) => text.replace("/r1/", `/r${n}/`);
    let seq = last;
    for (const event of run) {
      seq++;
      const { cause } = event;
      const data: Record<string, unknown> = { ...event.data };
      if (typeof data.run === "string") data.run = `r${n}`;
      if (typeof data.upto === "number") data.upto = seqOf(data.upto);
      if (typeof data.message === "string") data.message = `m${Number(data.message.slice(1)) + (n - 1) * messages}`;
      if (typeof data.key === "string") data.key = named(data.key);
      if (typeof data.path === "string") data.path = named(data.path);
      const follows =
        cause && !cause.includes("#") ? `${agent}/${seqOf(Number(cause.split("/")[1]))}` : cause && named(cause);
      yield { ...event, seq, id: `${agent}/${seq}`, ts: timeOf(seq), run: `r${n}`, cause: follows, data } as Event;
    }
  };
}

/** A busy team: 200,000 events a day. */
const timeOf = (seq: number): string => new Date(1_767_225_600_000 + seq * 432).toISOString();

function write(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

function mixOf(run: Event[]): string {
  const counts = new Map<string, number>();
  for (const { type } of run) counts.set(type.split(".")[0]!, (counts.get(type.split(".")[0]!) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  return sorted.map(([noun, count]) => `${noun} ${Math.round((100 * count) / run.length)} %`).join(", ");
}

/**
 * Plays the life of a home: starts the process, is its client, sees it die, starts it again, until the team is done.
 *
 * The client is as clients are: after every restart it sends again whatever it ever sent, with the same key, because it cannot know what
 * arrived. It waits for lines, never for time; only silence has a limit. When the team is done everything is sent once more, and then
 * the process is asked to close. What was acknowledged when, and whatever is wrong with that, is in the Story; the rest is check.ts.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { programTag } from "../../src/home/layout.ts";
import { crashChild } from "../built.ts";
import type { Life } from "./child.ts";
import type { Kill } from "./points.ts";
import { clients, clientText } from "./team.ts";
import { tagged } from "./tools.ts";

export interface Plan {
  /** One per life; after the last one the process is left alone. */
  lives: LifePlan[];
  calm?: boolean;
  /** Let an agent go on that was paused; otherwise being paused is the end. */
  resume?: boolean;
  /** The most lives it may need. */
  most?: number;
}

export interface LifePlan {
  kill?: Kill;
  /** Killed from outside, this long after its first sign of life. */
  killAfterMs?: number;
  seconds?: number;
}

export interface Story {
  home: string;
  effects: string;
  /** How each life ended. */
  ends: (Kill | "killed" | "closed" | "stuck" | `exit ${number}`)[];
  acks: Map<string, number>;
  /** Keys whose acknowledgement came again after a restart. */
  repeated: number;
  paused: { agent: string; code: string }[];
  notices: string[];
  wrong: string[];
  /** Programs that were still running when a life had ended. */
  orphans: number;
  done: Set<string>;
  ms: number;
  remove(): Promise<void>;
}

const patience = 60_000;
const burial = 30_000;

export async function play(plan: Plan): Promise<Story> {
  const folder = await mkdtemp(join(tmpdir(), "agiraph-crash-"));
  const story: Story = {
    home: join(folder, "home"),
    effects: join(folder, "effects.log"),
    ends: [],
    acks: new Map(),
    repeated: 0,
    paused: [],
    notices: [],
    wrong: [],
    orphans: 0,
    done: new Set(),
    ms: 0,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
  const begun = performance.now();
  const sent = new Set<string>();
  const most = plan.most ?? plan.lives.length + 1;
  for (let n = 0; n < most; n++) {
    const end = await live(plan, plan.lives[n] ?? {}, story, sent);
    story.ends.push(end);
    if (end === "closed" || end === "stuck" || (typeof end === "string" && end.startsWith("exit"))) break;
    story.orphans += tagged(programTag(story.home)).length;
  }
  if (story.ends.at(-1) !== "closed") story.wrong.push(`it did not come to its end: ${JSON.stringify(story.ends)}`);
  story.ms = performance.now() - begun;
  return story;
}

/** One process from start to end. */
async function live(plan: Plan, { kill, killAfterMs, seconds }: LifePlan, story: Story, sent: Set<string>) {
  const { home, effects } = story;
  const before = tagged(programTag(home));
  const given: Life = { home, effects, ...(kill && { kill }), ...(seconds && { seconds }), calm: plan.calm ?? false };
  const child = spawn(process.execPath, [crashChild, JSON.stringify(given)], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(tmpdir(), "agiraph-crash-cache") },
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  child.stdin.on("error", () => undefined); // it died with unread orders
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });

  const order = (what: Record<string, unknown>) => child.stdin.write(`${JSON.stringify(what)}\n`);
  const post = (key: string) => {
    sent.add(key);
    order({ key, text: clientText(key) });
  };
  const postNext = () => {
    const next = clients.find((key) => !sent.has(key));
    if (next) post(next);
  };

  let end: Story["ends"][number] | undefined;
  let turns = 0;
  let swept: Promise<void> | undefined;
  /** Acknowledgements that the client still wants to see again at the end. */
  let last: Set<string> | undefined;
  const over = () => {
    const paused = !plan.resume && story.paused.length > 0;
    if (!(story.done.has("team") || paused) || (plan.calm && !story.done.has("calm"))) return;
    last ??= new Set(clients.filter((key) => sent.has(key)));
    if (last.size === 0) order({ close: true });
    for (const key of last) post(key);
  };

  const hear: Record<string, (line: Line) => void> = {
    ready() {
      swept = buried(home, before).then((left) => {
        if (left)
          story.wrong.push(`${left} programs of an earlier life still ran ${burial} ms after the next was ready`);
      });
      for (const key of sent) post(key);
      postNext();
    },
    turn() {
      if (++turns % 3 === 0) postNext();
    },
    missing() {
      for (const key of clients) post(key);
    },
    acked({ acked: key, seq, repeated }) {
      const known = story.acks.get(key);
      if (known !== undefined && known !== seq) story.wrong.push(`${key} was acknowledged as ${known}, then as ${seq}`);
      if (known !== undefined && !repeated) story.wrong.push(`${key} was acknowledged twice as new`);
      if (known !== undefined) story.repeated++;
      story.acks.set(key, seq);
      if (last?.delete(key) && last.size === 0) order({ close: true });
    },
    refused({ refused: key, code, message }) {
      story.wrong.push(`${key} was refused: ${code} ${message}`);
    },
    paused({ paused: agent, reason }) {
      story.paused.push({ agent, code: reason.code });
      if (plan.resume) order({ resume: true, agent });
      else over();
    },
    done({ done: agent }) {
      story.done.add(agent);
      over();
    },
    notice({ notice: agent, code, message }) {
      story.notices.push(`${agent}: ${code} ${message}`);
    },
    dying({ dying, hit }) {
      end = { point: dying, hit };
    },
  };

  story.done.clear();
  let silence = setTimeout(() => stuck(), patience);
  let killing: NodeJS.Timeout | undefined;
  const stuck = () => {
    story.wrong.push(`nothing was heard for ${patience} ms (life ${story.ends.length + 1}): ${errors}`);
    end = "stuck";
    slay(child);
  };
  for await (const text of createInterface({ input: child.stdout })) {
    clearTimeout(silence);
    silence = setTimeout(() => stuck(), patience);
    if (killAfterMs !== undefined && !killing)
      killing = setTimeout(() => {
        end ??= "killed";
        slay(child);
      }, killAfterMs);
    const line = JSON.parse(text) as Line;
    for (const word of Object.keys(hear)) if (word in line) hear[word]!(line);
  }
  const code = await ended;
  await swept;
  clearTimeout(silence);
  clearTimeout(killing);
  if (code === 0) return "closed";
  if (code === null) return end ?? "killed";
  story.wrong.push(`life ${story.ends.length + 1} ended with exit code ${code}: ${errors}`);
  return `exit ${code}` as const;
}

/** How many of these processes do not end: one that was killed still has to be given a moment of a processor to die in. */
async function buried(home: string, pids: number[]): Promise<number> {
  for (const begun = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    const left = pids.length === 0 ? 0 : tagged(programTag(home)).filter((pid) => pids.includes(pid)).length;
    if (left === 0 || performance.now() - begun > burial) return left;
  }
}

interface Line {
  ready: number;
  acked: string;
  seq: number;
  repeated: boolean;
  refused: string;
  code: string;
  message: string;
  paused: string;
  reason: { code: string };
  done: string;
  notice: string;
  dying: string;
  hit: number;
}

const slay = (child: ChildProcess) => void child.kill("SIGKILL");

/**
 * What must hold for a home after any number of kills, read from the disk alone.
 *
 * The log is read by a parser of its own: dense seq, right checksums. What the product must fold is folded with the product's core. Each
 * rule gives a sentence for what is wrong; no sentence means that all hold. Not here: what the client saw while it happened (lives.ts).
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { fold } from "../../src/core/reduce.ts";
import { canonical, emptyState, type State, thawState } from "../../src/core/state.ts";
import { programTag } from "../../src/home/layout.ts";
import type { Event, EventOf, EventType } from "../../src/schema/event.ts";
import type { Story } from "./lives.ts";
import { clientText, price } from "./team.ts";
import { tagged } from "./tools.ts";

/** What people get: the answer and every published file. */
export type Output = Record<string, string>;

export function examine(story: Story, expected: Output): string[] {
  const { wrong, events } = readLog(join(story.home, "agents/team/events.jsonl"));
  const state = fold(emptyState(), events);
  return [
    ...story.wrong,
    ...wrong,
    ...messages(story, events),
    ...turns(events),
    ...effects(story, events),
    ...money(state, events),
    ...published(story.home, events),
    ...projections(story.home, events, state),
    ...snapshot(story.home, events, state),
    ...index(story.home, events),
    ...output(story, events, expected),
    ...programs(story),
  ];
}

export function readLog(path: string): { wrong: string[]; events: Event[] } {
  const bytes = readFileSync(path);
  const wrong: string[] = [];
  const events: Event[] = [];
  if (bytes.at(-1) !== 10) wrong.push(`${path} does not end with a newline`);
  for (const [at, line] of bytes.toString("utf8").split("\n").slice(0, -1).entries()) {
    const said = /,"sum":"([0-9a-f]{8})"(?:,"more":true)?\}$/.exec(line);
    const sum = crc32(`${line.slice(0, said?.index)}}`)
      .toString(16)
      .padStart(8, "0");
    if (said?.[1] !== sum) wrong.push(`line ${at + 1} has checksum ${said?.[1]}, not ${sum}`);
    const event = JSON.parse(line) as Event;
    if (event.seq !== at + 1) wrong.push(`line ${at + 1} has seq ${event.seq}`);
    events.push(event);
  }
  if ((events.at(-1) as { more?: true } | undefined)?.more) wrong.push(`${path} ends in the middle of a command`);
  return { wrong, events };
}

/** Acknowledged means: in the log once, at that place, in those words. */
function messages({ acks }: Story, events: Event[]): string[] {
  const wrong: string[] = [];
  for (const [key, seq] of acks) {
    const found = of(events, "message.posted").filter(({ cause }) => cause?.startsWith(`${key}#`));
    if (found.length !== 1) wrong.push(`${key} was acknowledged and is in the log ${found.length} times`);
    else if (found[0]!.seq !== seq) wrong.push(`${key} was acknowledged as ${seq} and is ${found[0]!.seq}`);
    else if (found[0]!.data.text !== clientText(key)) wrong.push(`${key} has another text`);
  }
  return wrong;
}

/** Each turn starts once and ends once; each call of an answer starts at most once and has one result. */
function turns(events: Event[]): string[] {
  const wrong: string[] = [];
  const count = (type: EventType, turn: string, call?: string) =>
    of(events, type).filter(({ data }) => {
      const named = data as { turn?: string; call?: string };
      return named.turn === turn && (call === undefined || named.call === call);
    }).length;
  for (const { data } of of(events, "turn.started")) {
    if (count("turn.started", data.turn) > 1) wrong.push(`${data.turn} was started twice`);
    const ends = count("turn.ended", data.turn) + count("turn.failed", data.turn);
    if (ends !== 1) wrong.push(`${data.turn} ended ${ends} times`);
    if (count("turn.answered", data.turn) > 1) wrong.push(`${data.turn} was answered twice`);
  }
  for (const { data } of of(events, "turn.answered")) {
    const given = count("turn.failed", data.turn) > 0;
    for (const { id } of data.calls) {
      if (count("tool.started", data.turn, id) > 1) wrong.push(`${data.turn}/${id} was started twice`);
      const results = count("tool.ended", data.turn, id);
      if (results > 1 || (results === 0 && !given)) wrong.push(`${data.turn}/${id} has ${results} results`);
    }
  }
  return wrong;
}

/** Never twice, never before the log said so, and never unknown to the model. */
function effects(story: Story, events: Event[]): string[] {
  const wrong: string[] = [];
  const done = effectsOf(story);
  const intents = new Set(of(events, "tool.started").map(({ data }) => data.key));
  for (const key of done) {
    if (done.filter((one) => one === key).length > 1) wrong.push(`${key} had its effect twice`);
    if (!intents.has(key)) wrong.push(`${key} had its effect before the log knew of it`);
  }
  for (const { data } of of(events, "tool.ended")) {
    const key = `team/r1/${data.turn}/${data.call}`;
    if (data.tool === "poke" && data.outcome === "ok" && !done.includes(key)) wrong.push(`${key} is ok without effect`);
    if (data.outcome === "unknown" && !/^Outcome unknown/.test(data.result))
      wrong.push(`${key} is unknown, but the model was told: ${data.result}`);
    if (data.outcome === "unknown" && data.tool !== "poke" && data.tool !== "program")
      wrong.push(`${key} (${data.tool}) may be repeated, and was given up as unknown`);
  }
  return wrong;
}

export const effectsOf = ({ effects }: Story): string[] =>
  existsSync(effects) ? readFileSync(effects, "utf8").split("\n").filter(Boolean) : [];

/** Every answered call at its price, every lost one at its reservation, and nothing left reserved. */
function money({ accounts }: State, events: Event[]): string[] {
  const lost = [...of(events, "turn.resumed"), ...of(events, "turn.failed")].reduce(
    (sum, { data }) => sum + data.lost.tokens,
    0,
  );
  const due = of(events, "turn.answered").length * price.tokens + lost;
  const { spent, reserved } = accounts.get("agent") ?? { spent: { tokens: 0 }, reserved: { tokens: 0 } };
  return [
    ...(spent.tokens === due ? [] : [`${spent.tokens} tokens are booked where ${due} were used or lost`]),
    ...(reserved.tokens === 0 ? [] : [`${reserved.tokens} tokens are still reserved`]),
  ];
}

/** What the log says was published is what lies there. */
function published(home: string, events: Event[]): string[] {
  const wrong: string[] = [];
  for (const { data, run } of of(events, "node.completed")) {
    const folder = join(home, "agents/team/runs", run!, "nodes", data.node, "published");
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as { files: unknown };
    if (JSON.stringify(manifest.files) !== JSON.stringify(data.files))
      wrong.push(`${data.node}: log and manifest differ`);
    for (const { path, sha256 } of data.files) {
      const found = createHash("sha256")
        .update(readFileSync(join(folder, path)))
        .digest("hex");
      if (found !== sha256) wrong.push(`${data.node}: ${path} is not what the log says`);
    }
    if (existsSync(join(folder, "../publishing"))) wrong.push(`${data.node}: a draft of publishing is left`);
  }
  return wrong;
}

/** People find every message, every node's state and every worker's history. */
function projections(home: string, events: Event[], state: State): string[] {
  const root = join(home, "agents/team/runs/r1");
  const text = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "");
  const wrong: string[] = [];
  for (const { seq, data } of of(events, "message.posted")) {
    const path = `_messages/${String(seq).padStart(8, "0")}-${data.message}.md`;
    if (!text(path).includes(data.text)) wrong.push(`${path} is missing or wrong`);
  }
  for (const { id, status } of state.nodes.values())
    if (!text(`nodes/${id}/_status.md`).includes(`Status: ${status}`))
      wrong.push(`_status.md of ${id} does not say ${status}`);
  for (const { id, kind } of state.participants.values())
    if (kind === "harnessed" && !text(`workers/${id}/history.json`)) wrong.push(`history.json of ${id} is missing`);
  return wrong;
}

/** A snapshot and the rest of the log give the same state as the whole log. */
function snapshot(home: string, events: Event[], state: State): string[] {
  const path = join(home, "agents/team/snapshot.json");
  if (!existsSync(path)) return [];
  const { seq, state: frozen } = JSON.parse(readFileSync(path, "utf8")) as { seq: number; state: unknown };
  const again = fold(thawState(frozen), events.slice(seq));
  return canonical(again) === canonical(state)
    ? []
    : [`the snapshot at ${seq} and the rest are not the fold of the log`];
}

/** The index says what the log says. */
function index(home: string, events: Event[]): string[] {
  const database = new DatabaseSync(join(home, "index.sqlite"), { readOnly: true });
  try {
    const found = database.prepare("SELECT id, seq, text FROM messages WHERE agent = 'team' ORDER BY seq").all();
    const there = found.map(({ id, seq, text }) => `${id} ${seq} ${text}`);
    const due = of(events, "message.posted").map(({ seq, data }) => `${data.message} ${seq} ${data.text}`);
    const nodes = database.prepare("SELECT id, status FROM nodes WHERE agent = 'team' ORDER BY seq").all();
    const board = [...fold(emptyState(), events).nodes.values()].map(({ id, status }) => `${id} ${status}`);
    return [
      ...(there.join() === due.join() ? [] : [`the index has the messages ${there.join()}`]),
      ...(nodes.map(({ id, status }) => `${id} ${status}`).join() === board.join()
        ? []
        : ["the index has another board"]),
    ];
  } finally {
    database.close();
  }
}

/** The same as without any kill; an effect that was interrupted is `unknown`, if the model was told so. */
function output({ home }: Story, events: Event[], expected: Output): string[] {
  const found = outputOf(home);
  const results = new Map(of(events, "tool.ended").map(({ data }) => [`${data.turn}/${data.call}`, data.outcome]));
  const unknown = of(events, "tool.started").filter(
    ({ data }) => (results.get(`${data.turn}/${data.call}`) ?? "unknown") === "unknown", // a turn that was given up says so itself
  );
  const paths = new Set([...Object.keys(found), ...Object.keys(expected)]);
  return [...paths].flatMap((path) => {
    let text = found[path];
    for (const { data } of unknown) text = text?.replace(`${data.tool}: unknown`, `${data.tool}: ok`);
    return text === expected[path]
      ? []
      : [`${path} is ${JSON.stringify(found[path])} instead of ${JSON.stringify(expected[path])}`];
  });
}

export function outputOf(home: string): Output {
  const root = join(home, "agents/team/runs/r1");
  const paths = existsSync(root) ? readdirSync(root, { recursive: true, encoding: "utf8" }) : [];
  const wanted = paths.filter((path) => path === "_output.md" || /\/published\/.*\.\w+$/.test(path));
  return Object.fromEntries(
    wanted
      .filter((path) => !path.endsWith("manifest.json"))
      .sort()
      .map((path) => [path, readFileSync(join(root, path), "utf8")]),
  );
}

const programs = ({ home }: Story): string[] => {
  const left = tagged(programTag(home));
  return left.length ? [`${left.length} programs are still running`] : [];
};

/** Drafts of interrupted writes; harmless, but nobody removes them. */
export const drafts = (home: string): string[] =>
  readdirSync(home, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".tmp"));

export function of<T extends EventType>(events: Event[], type: T): EventOf<T>[] {
  return events.filter((event): event is Event & EventOf<T> => event.type === type);
}

/**
 * A participant that a command drives (`command:COMMAND`): a program with its own loop, spoken with through files in the scratch of its node.
 *
 * To the loop it is a backend that takes long: one call starts the program in a sandbox and ends with what it left behind. `_result.md` asks for
 * publish (of the coordinator for finish), `_checkpoint.md` for checkpoint, by the same tools as everyone's; without either the call fails and the node with it. `_task.md`,
 * `_context.json` and `_inbox.md` are written for it; each block of `_outbox.md` is sent once. None of these
 * files is published.
 * After a crash the same call goes on: a program that had left its result is not started again, one that had not is started in the folder as
 * it is, with an empty `_outbox.md`; what it says again word for word is not sent again. Nothing is run where bash would not be allowed.
 * Not here: the agent CLIs that people have, their logins and their network.
 */
import { type Backend, BackendError, type Part, type Request } from "../../backend/backend.ts";
import { leads } from "../../core/run/lead.ts";
import type { State } from "../../core/state.ts";
import { callKey } from "../../core/turn/call-key.ts";
import { programTag } from "../../home/layout.ts";
import type { World } from "../../lib/world.ts";
import type { Node } from "../../schema/node.ts";
import type { PolicyRule } from "../../schema/policy-rule.ts";
import { Problem } from "../../schema/problem.ts";
import type { Entry, Thinker } from "../../schema/worker.ts";
import type { Scope } from "../../toolkit/scope.ts";
import type { Tool } from "../../toolkit/tool.ts";
import type { Checkouts } from "../checkout/checkouts.ts";
import type { Live } from "../live.ts";
import { createHostGate, type HostGateOptions } from "../network/host-gate.ts";
import { createWorkplace } from "../workspace/participant-files.ts";
import { sha256 } from "../workspace/publish.ts";
import { assertProgramAllowed } from "./allowed.ts";
import type { ProgramHost } from "./host.ts";
import { type Block, createOutbox } from "./outbox.ts";

export interface ProgramOptions extends HostGateOptions {
  home: string;
  live: Live;
  world: World;
  policy: readonly PolicyRule[];
  all: readonly Tool[];
  /** Why the folder that the agent was given may not be read; empty if it may. */
  withheld: string;
  checkouts: Checkouts;
  programs?: Pick<ProgramHost, "locate"> | undefined;
}

/** A coordinator has no node, and so no time limit of its own. */
const coordinatorSeconds = 3_600;
/** How often the files are looked at while it runs. */
const lookMs = 500;
/** What was not sent is told of so many; a program that goes on gets no more words for it. */
const mostRefused = 50;
const free = { usd: 0, tokens: 0 };
const ends = { "_result.md": "publish", "_checkpoint.md": "checkpoint" } as const;
/** What we and the program say to each other by; not what it makes. */
export const protocol: ReadonlySet<string> = new Set([
  "_task.md",
  "_context.json",
  "_inbox.md",
  "_outbox.md",
  ...Object.keys(ends),
]);

export function createProgram(id: string, command: string, options: ProgramOptions): Backend {
  return {
    worst: () => free,
    async *call(request, signal) {
      try {
        if (request.node || leads(options.live.state(), id)) yield* attend(id, command, request, options, signal);
        yield { type: "end", cost: free, stop: "done" };
      } catch (error) {
        if (signal.aborted || error instanceof BackendError) throw error;
        throw new BackendError("permanent", error instanceof Error ? error.message : String(error));
      }
    },
  };
}

async function* attend(
  id: string,
  command: string,
  request: Request,
  options: ProgramOptions,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const { home, live, world, withheld, checkouts } = options;
  const { agent, state } = live;
  const me = state().participants.get(id) as Thinker;
  const node = request.node ? state().nodes.get(request.node) : undefined;
  const place = createWorkplace({ home, agent, run: state().run!.id, me, state, world, withheld, checkouts });
  const { files } = place;
  const key = callKey(state(), me.turn!.id, "program");
  assertProgramAllowed(me, options, false);

  const mark = `${request.participant}.${request.turns}`;
  const goesOn = (await textOf(files, "_context.json")).includes(`"turn": "${mark}"`);
  if (!goesOn) await prepare(files, request, { turn: mark, ...taskOf(state(), node) });
  const ferry = createFerry(files, request, { me, live, key, world });
  if (!goesOn || !(await leftBehind(files))) {
    if (goesOn && (await files.stat("_outbox.md"))) {
      await ferry(false);
      await files.write("_outbox.md", "");
    }
    const { line, path, sandbox } = await (options.programs?.locate?.(command) ?? { line: command, sandbox: {} });
    const started = place.run(["bash", "--norc", "-c", line], {
      seconds: node?.timeout_seconds ?? coordinatorSeconds,
      sandbox: sandbox && {
        hosts: [],
        ...sandbox,
        gate: (waits) => createHostGate(options, { participant: id, now: () => ({ call: key, text: command }), waits }),
      },
      ...(path && { path }),
      tag: `${programTag(home)}${key}`,
      signal,
    });
    const exit = await meanwhile(world, started, () => ferry(false).catch(() => undefined));
    signal.throwIfAborted();
    if (!(await leftBehind(files))) {
      await ferry(true);
      const how = exit.ended ?? (exit.late ? "it took too long" : `exit code ${exit.code ?? exit.signal}`);
      const said = exit.output.trim().slice(-1_000) || "nothing";
      throw new BackendError(
        "permanent",
        `the program of ${me.name} ended (${how}) without a _result.md; its last output: ${said}`.toWellFormed(),
      );
    }
  }
  await ferry(true);
  const left = (await leftBehind(files))!;
  const { summary } = left;
  const tool = node || left.tool !== "publish" ? left.tool : "finish";
  yield { type: "text", text: summary };
  yield { type: "call", id: tool, tool, input: { summary } };
}

const taskOf = ({ run }: State, node: Node | undefined) =>
  node ? { node: node.id, task: node.task, refs: node.refs } : { task: run?.goal };

/** The task and what is known; last the mark that says for which turn, so that a crash in between prepares again. */
async function prepare(
  files: Scope,
  { system, data = "", lines }: Request,
  about: Record<string, unknown>,
): Promise<void> {
  for (const name of [...Object.keys(ends), "_outbox.md"]) if (await files.stat(name)) await files.write(name, "");
  await files.write("_task.md", `${`${system}\n\n${data}`.trim()}\n`);
  await files.write("_inbox.md", inboxText(mailIn(lines)));
  await files.write("_context.json", `${JSON.stringify(about, null, 2)}\n`);
}

/** Takes new mail in and brings what was said out. In the end a block without its last line counts too. */
function createFerry(
  files: Scope,
  { lines }: Request,
  { me, live, key, world }: { me: Thinker; live: Live; key: string; world: World },
): (last: boolean) => Promise<void> {
  const refused: Entry[] = [];
  const refuse = (text: string) => {
    if (refused.length < mostRefused) refused.push({ seq: 0, from: "system", kind: "nudge", text });
  };
  const outbox = createOutbox();
  const sent = new Set<string>();
  let looked = "";
  return async (last) => {
    const stat = await files.stat("_outbox.md");
    const stamp = `${stat?.size} ${stat?.changed}`;
    const text = last || stamp !== looked ? await textOf(files, "_outbox.md") : undefined;
    looked = stamp;
    while (text !== undefined) {
      const over = world.working?.({ agent: live.agent, what: `_outbox.md of ${me.id}`, bytes: text.length });
      const blocks = outbox.take(text, last);
      over?.();
      if (!blocks.length) break;
      for (const block of blocks) await send(block);
      await new Promise<void>((go) => world.clock.after(0, go)); // others have their turn
    }
    const now = live.state().participants.get(me.id);
    const seen = new Set(mailIn(lines).map(({ seq }) => seq));
    const fresh = now?.unread.filter(({ seq }) => !seen.has(seq)) ?? [];
    const wanted = inboxText([...mailIn(lines), ...fresh, ...refused]);
    if ((await textOf(files, "_inbox.md")) !== wanted) await files.write("_inbox.md", wanted);
  };

  async function send({ to, text, nth }: Block): Promise<void> {
    // By what it says and not by its place: a program that is started again may begin anew.
    const name = `${sha256(`${to}\n${text}`).slice(0, 16)}-${nth}`;
    if (sent.has(name)) return;
    sent.add(name);
    if (!to)
      return refuse(`Not sent, because it does not start with TO: and a name: ${text.slice(0, 200).toWellFormed()}`);
    const post = { type: "message.post" as const, from: me.id, to, text };
    try {
      await live.dispatch(post, { actor: me.id, key: `${key}/${name}` });
    } catch (problem) {
      if (!(problem instanceof Problem) || live.signal.aborted) throw problem;
      refuse(`Not sent to ${to.slice(0, 200).toWellFormed()}: ${problem.message}`);
    }
  }
}

/** And what its calls were refused with: the checks that what it published did not pass, above all. */
const mailIn = (lines: Request["lines"]): Entry[] =>
  lines.flatMap((line): Entry[] => {
    if (line.role === "inbox") return line.entries;
    if (line.role !== "tool" || line.outcome !== "error") return [];
    return [{ seq: 0, from: "system", kind: "nudge", text: line.result }];
  });

const inboxText = (entries: Entry[]): string =>
  entries.map(({ from, kind, text }) => `FROM: ${from} (${kind})\n${text}\n---\n`).join("");

async function leftBehind(files: Scope): Promise<{ tool: string; summary: string } | undefined> {
  for (const [name, tool] of Object.entries(ends)) {
    const summary = (await textOf(files, name)).trim().slice(0, 20_000).toWellFormed();
    if (summary) return { tool, summary };
  }
  return undefined;
}

/** A file of its scratch that it may not have written yet. */
async function textOf(files: Scope, name: string): Promise<string> {
  return (await files.stat(name)) ? (await files.read(name, 1_000_000)).toString() : "";
}

/** Looks again and again until it has ended, and gives what it ended with. */
async function meanwhile<T>(world: World, job: Promise<T>, look: () => Promise<void>): Promise<T> {
  let over = false;
  const ended = job.finally(() => {
    over = true;
  });
  ended.catch(() => undefined);
  while (!over) {
    await Promise.race([ended.catch(() => undefined), new Promise<void>((go) => world.clock.after(lookMs, go))]);
    if (!over) await look();
  }
  return ended;
}

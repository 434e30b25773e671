/**
 * One agent, watched and talked to from the terminal: what happens is shown as it happens, questions are asked here, and what the person types
 * reaches the coordinator, or whom it begins with (`@alice look`).
 *
 * Like any other client it follows the agent's events and folds them; it knows nothing that is not in the log. It ends when the run is finished,
 * when the person leaves (the agent is paused, or goes on without them), or when nobody here can bring it on.
 */

import { wayOut } from "../../core/agent/pause.ts";
import { previewStop } from "../../core/agent/preview.ts";
import { isAtRest, standingOf } from "../../core/agent/standing.ts";
import { defaultLimits } from "../../core/limits.ts";
import { emptyState, type State } from "../../core/state.ts";
import { shellLine, showCommands } from "../../lib/command-line.ts";
import type { Event } from "../../schema/event.ts";
import type { Question } from "../../schema/question.ts";
import { stopLines } from "../commands/agents.ts";
import type { Input } from "../terminal/input.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { clean, wrap } from "../terminal/text.ts";
import { newsLines } from "../view/event-lines.ts";
import { graph } from "../view/graph.ts";
import { questionLines } from "../view/question-lines.ts";
import { board, endingLines, noNodes, tree } from "../view/view.ts";
import type { Watched } from "./watched.ts";

export interface RunOptions {
  watched: Watched;
  terminal: Terminal;
  agent: string;
  /** What is known of it: what came to that is not shown again. Its first event is, if nothing is. */
  from?: State;
  now(): number;
  stop: AbortSignal;
  /** What the person types; none when nobody is there. */
  input: Input | undefined;
  paths(agent: string, run: string): { output: string; run: string; log: string };
  /** What Ctrl-C means: an agent that lives here is paused; one that lives elsewhere may go on. */
  leaving?: "pause" | "detach";
}

/** finished: there is an answer. paused: the person stopped it. detached: it goes on. stuck: someone must do something, and it was said what. */
export type Outcome = "finished" | "paused" | "detached" | "stuck";

export async function run(options: RunOptions): Promise<Outcome> {
  const { watched, terminal, agent, now, stop, input, paths, leaving = "pause" } = options;
  const { colors } = terminal;
  const state = options.from ?? emptyState();
  const since = now();
  const look = () => ({ width: terminal.width(), colors, since, close: true });
  const left = new AbortController();
  const over = AbortSignal.any([stop, left.signal]);
  const nameOf = (id: string) => clean(state.participants.get(id)?.name ?? id);
  /** What each of them says, drawn in whole lines; a line of a worker begins with its name. */
  const speaking = new Map<string, ReturnType<typeof createWords>>();
  const words = (who: string) => {
    const draw = (line: string) => terminal.say([colors.dim(line)]);
    const voice =
      speaking.get(who) ?? createWords(draw, () => terminal.width(), who === "coordinator" ? "" : `${nameOf(who)}: `);
    speaking.set(who, voice);
    return voice;
  };
  /** Turns whose words were shown as they came. */
  const heard = new Set<string>();
  const deaf = watched.listen(({ type, text, turn, participant }) => {
    if (type !== "text") return;
    heard.add(turn);
    words(participant).hear(turn, text);
  });
  const beat = terminal.live ? setInterval(() => input?.typing() || paint(), 1000) : undefined;
  const asked = new Set<string>();
  /** Questions from before this start: they were put to someone who may have forgotten them. */
  const old = new Set(state.questions.keys());
  input?.lines((line) => void said(line));

  try {
    const known = lookAround();
    if (known) return known;
    for await (const events of watched.follow(state.seq, over)) {
      for (const group of byAnswer(events)) {
        const [first] = group;
        if (first?.type === "turn.answered") {
          const { participant, turn, text } = first.data;
          const voice = words(participant);
          if (!heard.delete(turn)) voice.hear(turn, text);
          voice.end(turn);
        }
        const lines = newsLines(state, group, look());
        if (lines.length) terminal.say(lines);
      }
      const outcome = lookAround();
      if (outcome) return outcome;
    }
  } finally {
    clearInterval(beat);
    deaf();
    terminal.end();
    input?.close();
  }
  return left.signal.aborted || leaving === "detach" ? detach() : await pause();

  function lookAround(): Outcome | undefined {
    if (!state.agent) return undefined;
    paint();
    for (const question of state.questions.values()) if (question.status === "open") ask(question);
    return end();
  }

  /** The team under what was said, as it is now; one line while there is none. */
  function paint(): void {
    if (!terminal.live || !state.run) return;
    const most = Math.max(6, Math.min(16, terminal.rows() - 10));
    terminal.board([
      "",
      ...board(state, now(), { ...look(), rows: most, hint: leaving === "pause" ? "Ctrl-C pauses" : "Ctrl-C leaves" }),
    ]);
  }

  /** What the state means for the one who watches, if it means an end. */
  function end(): Outcome | undefined {
    const { agent: who, run } = state;
    const standing = standingOf(state);
    if (standing.is === "finished" && run) {
      terminal.board([]);
      if (state.nodes.size) terminal.say(["", ...tree(state, { ...look(), rows: 100 })]);
      terminal.say(endingLines(state, paths(agent, run.id), now(), look()));
      return "finished";
    }
    if (who?.status === "paused" || who?.status === "failed") {
      terminal.say([
        "",
        ...wrap(`${agent} is ${who.status}: ${who.reason.message}`, terminal.width()),
        ...remedy(agent, who.reason.code),
      ]);
      return "stuck";
    }
    if (who?.status === "stopped" || who?.status === "archived") {
      terminal.say(["", `${agent} is ${who.status}.`]);
      return "stuck";
    }
    if (input || !isAtRest(standing)) return undefined;
    const open = [...state.questions.values()].filter((question) => question.status === "open");
    if (open.length) {
      terminal.say([
        "",
        `${agent} is waiting for your answer. Answer interactively: ${shellLine(`resume ${agent}`)}`,
        `or directly: ${shellLine(`answer ${agent} ${open[0]!.id} "…"`)}`,
      ]);
      return "stuck";
    }
    terminal.say(["", `${agent} has answered and is waiting for you: ${shellLine(`resume ${agent}`)}`]);
    return "finished";
  }

  function ask(question: Question): void {
    if (asked.has(question.id)) return;
    asked.add(question.id);
    const hint = question.options?.length ? ` (${question.options.map(clean).join(" / ")})` : "";
    const otherwise = question.default === undefined ? "" : ` [${clean(question.default)}]`;
    // One that was just asked stands above, whole.
    if (old.has(question.id)) terminal.say(["", "Still open:", ...questionLines(question, terminal.width())]);
    if (input)
      terminal.say(
        wrap(`  answer ${question.id}${hint}${otherwise}, then Enter`, terminal.width()).map((line) =>
          colors.bold(line),
        ),
      );
  }

  /**
   * A typed line answers the oldest open question, or the one it begins with (`q2 yes`). One that begins with @ is a message to whom it names;
   * so is any line while nothing is asked, to the coordinator.
   */
  async function said(line: string): Promise<void> {
    const text = line.trim();
    if (!text) return terminal.say([]);
    terminal.say([`${colors.bold("›")} ${clean(text)}`]);
    try {
      const [word] = text.split(" ", 1);
      if (/^\/(board|graph)$/.test(word!) && !state.nodes.size) return terminal.say([noNodes]);
      if (word === "/board") return terminal.say(tree(state, { ...look(), rows: 100 }));
      if (word === "/graph") return terminal.say(graph(state, look()));
      if (word === "/detach" && options.leaving) return left.abort();
      if (word === "/pause") return void (await watched.pause());
      if (word === "/stop") {
        const { words } = previewStop(state, { now: now(), actor: "human", limits: defaultLimits });
        await watched.stop();
        return terminal.say(stopLines(agent, words, terminal.width()));
      }
      if (text.startsWith("/")) return terminal.say(wrap(commands, terminal.width()));
      const open = [...state.questions.values()].filter((question) => question.status === "open");
      const [, id, rest = ""] = /^(q\d+)[\s:,]+(.*)$/is.exec(text) ?? [];
      const named = open.find((question) => question.id === id?.toLowerCase());
      const question = named ?? (text.startsWith("@") ? undefined : open[0]);
      if (question) await watched.answer(question.id, named ? rest : text);
      else await watched.post(text);
    } catch (problem) {
      terminal.say([colors.red(clean(showCommands((problem as Error).message)))]);
    }
  }

  async function pause(): Promise<Outcome> {
    if (state.agent?.status === "active") await watched.pause();
    terminal.say(["", `Paused at event ${state.seq}. Nothing is lost. Resume it: ${shellLine(`resume ${agent}`)}`]);
    return "paused";
  }

  function detach(): Outcome {
    terminal.say([
      "",
      `${agent} keeps running in the background.`,
      `  ${shellLine(`watch ${agent}`)}`,
      `  ${shellLine(`pause ${agent}`)}`,
    ]);
    return "detached";
  }
}

const commands =
  "Commands: /board, /graph, /pause, /stop, /detach. Anything else you type answers the oldest question or goes to the coordinator; start with @name to address someone else.";

/** An answer and what came of it, up to the next answer. */
function byAnswer(events: readonly Event[]): Event[][] {
  const groups: Event[][] = [];
  for (const event of events)
    if (event.type === "turn.answered" || !groups.length) groups.push([event]);
    else groups.at(-1)!.push(event);
  return groups;
}

function remedy(agent: string, code: string): string[] {
  if (wayOut(code) === "budget") return [`Raise the budget and resume: ${shellLine(`resume ${agent} --budget 5usd`)}`];
  if (wayOut(code) === "words")
    return [
      `Tell it what to do differently: ${shellLine(`send ${agent} "…"`)}`,
      `Or resume it: ${shellLine(`resume ${agent}`)}`,
    ];
  if (wayOut(code) === "provider")
    return [`Check keys and quota with: ${shellLine("doctor")}`, `Then resume it: ${shellLine(`resume ${agent}`)}`];
  return [`Resume it: ${shellLine(`resume ${agent}`)}`];
}

/** Words as they come, drawn in whole lines. The next turn may be heard before the log says that the one before it has ended. */
function createWords(draw: (line: string) => void, width: () => number, name: string) {
  let pending = "";
  let speaking: string | undefined;
  const flush = () => {
    if (clean(pending)) for (const line of wrap(name + clean(pending), width() - 8)) draw(`        ${line}`);
    pending = "";
  };
  return {
    hear(turn: string, text: string) {
      if (turn !== speaking) flush();
      speaking = turn;
      pending += text;
      const at = pending.lastIndexOf("\n");
      if (at < 0) return;
      const rest = pending.slice(at + 1);
      pending = pending.slice(0, at);
      const lines = pending.split("\n");
      for (const line of lines) {
        pending = line;
        flush();
      }
      pending = rest;
    },
    end(turn: string) {
      if (turn === speaking) flush();
    },
  };
}

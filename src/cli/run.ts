/**
 * One agent, watched and talked to from the terminal, without a daemon: what happens is shown as it happens, questions are asked here, and what
 * the person types reaches the coordinator.
 *
 * Like any other client it follows the agent's events and folds them; it knows nothing that is not in the log. It ends when the run is finished,
 * when the person stops it (the agent is paused), or when nobody here can bring it on.
 */
import { appointments } from "../core/decide.ts";
import { emptyState, type State } from "../core/state.ts";
import { canRun } from "../core/worker.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Event } from "../schema/event.ts";
import type { Question } from "../schema/question.ts";
import type { Input } from "./input.ts";
import type { Terminal } from "./terminal.ts";
import { clean, wrap } from "./text.ts";
import { board, ending, news, tree } from "./view.ts";

export interface RunOptions {
  runtime: Runtime;
  terminal: Terminal;
  agent: string;
  /** What was said before is not shown again. */
  after: number;
  now(): number;
  stop: AbortSignal;
  /** What the person types; none when nobody is there. */
  input: Input | undefined;
  paths(agent: string, run: string): { output: string; run: string; log: string };
}

/** finished: there is an answer. paused: the person stopped it. stuck: someone must do something, and it was said what. */
export type Outcome = "finished" | "paused" | "stuck";

export async function run({ runtime, terminal, agent, after, now, stop, input, paths }: RunOptions): Promise<Outcome> {
  const { colors } = terminal;
  const state = emptyState();
  const since = now();
  const look = () => ({ width: terminal.width(), colors, since, close: true });
  const watched = new AbortController();
  const over = AbortSignal.any([stop, watched.signal]);
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
  const deaf = runtime.listen(agent, ({ type, text, turn, participant }) => {
    if (type !== "text") return;
    heard.add(turn);
    words(participant).hear(text);
  });
  const beat = terminal.live ? setInterval(() => input?.typing() || paint(), 1000) : undefined;
  const asked = new Set<string>();
  /** Questions from before this start: they were put to someone who may have forgotten them. */
  const old = new Set<string>();
  input?.lines((line) => void said(line));

  try {
    for await (const events of runtime.follow(agent, 0, over)) {
      const fresh = events.filter((event) => event.seq > after);
      news(
        state,
        events.filter((event) => event.seq <= after),
        look(),
      );
      if (state.seq <= after) for (const id of state.questions.keys()) old.add(id);
      for (const group of byAnswer(fresh)) {
        const [first] = group;
        if (first?.type === "turn.answered") {
          const voice = words(first.data.participant);
          if (!heard.delete(first.data.turn)) voice.hear(first.data.text);
          voice.end();
        }
        const lines = news(state, group, look());
        if (lines.length) terminal.say(lines);
      }
      if (fresh.length) paint();
      for (const question of state.questions.values()) if (question.status === "open") ask(question);
      const outcome = isCaughtUp(state, after) ? end() : undefined;
      if (outcome) return outcome;
    }
  } finally {
    clearInterval(beat);
    deaf();
    terminal.end();
    input?.close();
  }
  return await pause();

  /** The team under what was said, as it is now; one line while there is none. */
  function paint(): void {
    if (!terminal.live || !state.run || !isCaughtUp(state, after)) return;
    const most = Math.max(6, Math.min(16, terminal.rows() - 10));
    terminal.board(["", ...board(state, now(), { ...look(), rows: most, hint: "Ctrl-C pauses" })]);
  }

  /** What the state means for the one who watches, if it means an end. */
  function end(): Outcome | undefined {
    const { agent: who, run } = state;
    const thinkers = [...state.participants.values()].filter((one) => one.kind !== "human");
    // A turn whose calls wait for the human's word is nobody's work until it comes.
    const asking = (one: (typeof thinkers)[number]) => one.turn?.status === "acting" && one.turn.asking !== undefined;
    const atRest = !thinkers.some((one) => (one.turn && !asking(one)) || canRun(one));
    // Mail that nobody reads any more does not keep a finished run open.
    if (who?.status === "completed" && run && !thinkers.some((one) => one.turn)) {
      terminal.board([]);
      if (state.nodes.size) terminal.say(["", ...tree(state, { ...look(), rows: 100 })]);
      terminal.say(ending(state, paths(agent, run.id), now(), look()));
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
    const open = [...state.questions.values()].filter((question) => question.status === "open");
    if (input || !atRest) return undefined;
    // A wait, a vote or a question with a deadline goes on by itself.
    if (appointments(state).some(({ command }) => !/^(trigger|cycle)\./.test(command.type))) return undefined;
    if (open.length) {
      terminal.say([
        "",
        `${agent} waits for your answer. Give it in a terminal: agiraph resume ${agent}`,
        `or say it here: agiraph answer ${agent} ${open[0]!.id} "…"`,
      ]);
      return "stuck";
    }
    if (state.cycle || [...state.triggers.values()].some((trigger) => trigger.status === "active")) return undefined;
    terminal.say(["", `${agent} has said what it has to say and waits for you: agiraph resume ${agent}`]);
    return "finished";
  }

  function ask(question: Question): void {
    if (asked.has(question.id)) return;
    asked.add(question.id);
    const hint = question.options?.length ? ` (${question.options.join(" / ")})` : "";
    const otherwise = question.default === undefined ? "" : ` [${question.default}]`;
    // One that was just asked stands above, whole.
    if (old.has(question.id))
      terminal.say(["", ...wrap(`Open since before: ${clean(question.text)}`, terminal.width())]);
    if (input) terminal.say([colors.bold(`  answer ${question.id}${hint}${otherwise}, then Enter`)]);
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
      if (text === "/board") return terminal.say(tree(state, { ...look(), rows: 100 }));
      if (text.startsWith("/"))
        return terminal.say([`There is /board. Anything else you type goes to ${agent}; Ctrl-C pauses.`]);
      const open = [...state.questions.values()].filter((question) => question.status === "open");
      const [, id, rest = ""] = /^(q\d+)[\s:,]+(.*)$/is.exec(text) ?? [];
      const named = open.find((question) => question.id === id?.toLowerCase());
      const question = named ?? (text.startsWith("@") ? undefined : open[0]);
      const answer = named ? rest : text;
      if (question)
        await runtime.send(agent, { type: "question.answer", question: question.id, answer }, { actor: "human" });
      else await runtime.send(agent, { type: "message.post", text }, { actor: "human" });
    } catch (problem) {
      terminal.say([colors.red(clean((problem as Error).message))]);
    }
  }

  async function pause(): Promise<Outcome> {
    if (state.agent?.status === "active") {
      const reason = { code: "human", message: "paused from the terminal", next_mover: "human" };
      await runtime.send(agent, { type: "agent.pause", reason }, { actor: "human" });
    }
    terminal.say(["", `Paused at event ${state.seq}. Nothing is lost. Go on with: agiraph resume ${agent}`]);
    return "paused";
  }
}

/** An answer and what came of it, up to the next answer. */
function byAnswer(events: readonly Event[]): Event[][] {
  const groups: Event[][] = [];
  for (const event of events)
    if (event.type === "turn.answered" || !groups.length) groups.push([event]);
    else groups.at(-1)!.push(event);
  return groups;
}

const isCaughtUp = (state: State, after: number): boolean => state.seq >= after && state.agent !== null;

function remedy(agent: string, code: string): string[] {
  if (code === "budget") return [`Give it more and go on: agiraph resume ${agent} --budget 5usd`];
  if (code === "provider") return [`Check keys and quota with: agiraph doctor    Then: agiraph resume ${agent}`];
  return [`Go on with: agiraph resume ${agent}`];
}

/** Words as they come, drawn in whole lines. */
function createWords(draw: (line: string) => void, width: () => number, name: string) {
  let pending = "";
  const flush = () => {
    if (clean(pending)) for (const line of wrap(name + clean(pending), width() - 8)) draw(`        ${line}`);
    pending = "";
  };
  return {
    hear(text: string) {
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
    end: flush,
  };
}

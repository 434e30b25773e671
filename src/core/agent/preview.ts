/**
 * A dry run: what a stop would do to the agent as it is now, and what a pause would leave alone.
 *
 * Nothing here is guessed: the command is decided, and what follows is settled, on a copy of the state, by the same rules as a real stop; the
 * preview is read from the facts. The state itself is not changed. Throws the Problem that the command would be refused with. It applies to the
 * state it was made from (`seq`): ask again when that has changed.
 */
import type { CommandType } from "../../schema/command.ts";
import type { Event } from "../../schema/event.ts";
import type { Node } from "../../schema/node.ts";
import type { Question } from "../../schema/question.ts";
import { decide, settle, stamp } from "../decide.ts";
import { isLive } from "../lookup.ts";
import type { Context } from "../noun.ts";
import { reduce } from "../reduce.ts";
import { freezeState, type State, thawState } from "../state.ts";

export interface StopPreview {
  /** Of the state that it applies to. */
  seq: number;
  /** Nodes that end, in the order of the board. */
  nodes: { node: string; name: string; status: "pending" | "assigned" | "running" | "waiting"; worker?: string }[];
  /** Questions and approvals that lapse. */
  questions: { question: string; by: string; text: string; approves?: string }[];
  /** Turns that are interrupted, with their running tools. */
  turns: { participant: string; tools: string[] }[];
  /** Stages that end with the nodes they have. */
  stages: { stage: string; name: string; completed: number; of: number }[];
  kept: { nodes: number; questions: number; usd: number };
  /** The same for people. */
  words: { ends: Ending[]; kept: string; later: string; pause: string };
}

/** What ends, and its names: "2 nodes end", [n1, n2]. */
export interface Ending {
  what: "nodes" | "questions" | "turns" | "stages" | "nothing";
  text: string;
  names: string[];
}

export const endingInWords = ({ text, names }: Ending): string =>
  names.length ? `${text}: ${some(names)}.` : `${text}.`;

export function previewStop(state: State, context: Context): StopPreview {
  const then = after(state, "agent.stop", context);
  const cancelled = new Set(then.flatMap(({ type, data }) => (type === "node.cancelled" ? [data.node] : [])));
  const expired = new Set(then.flatMap(({ type, data }) => (type === "question.expired" ? [data.question] : [])));
  const live = [...state.nodes.values()].filter(isLive);
  const open = [...state.questions.values()].filter(({ status }) => status === "open");
  const lapsing = open.filter(({ id }) => expired.has(id));
  const turns = cutOff(state);
  const preview: Omit<StopPreview, "words"> = {
    seq: state.seq,
    nodes: live.filter(({ id }) => cancelled.has(id)).map(lineOf),
    questions: lapsing.map(askedLine),
    turns,
    stages: then.flatMap(({ type, data }) => (type === "stage.reconvened" ? [stageLine(state, data)] : [])),
    kept: {
      nodes: [...state.nodes.values()].filter(({ status }) => status === "completed").length,
      questions: open.length - lapsing.length,
      usd: state.accounts.get("agent")?.spent.usd ?? 0,
    },
  };
  return {
    ...preview,
    words: {
      ends: endsInWords(state, preview),
      kept: keptInWords(preview.kept),
      later:
        "Afterwards, Resume or any message from you wakes the coordinator. It is told what ended, and decides what to restart and what to leave.",
      pause: pauseInWords(live.length, open.length, turns.length),
    },
  };
}

const mostFollows = 10_000;

/** Every fact that the command would lead to, on a copy. */
function after(state: State, type: Extract<CommandType, "agent.stop">, context: Context): Event[] {
  const copy = thawState(freezeState(state));
  const events: Event[] = [];
  const take = (event: Event) => {
    reduce(copy, event);
    events.push(event);
  };
  for (const fact of decide(copy, { type }, context)) take(stamp(copy, fact, context));
  const follows: Context = { ...context, actor: "system" };
  for (let fact = settle(copy, follows); fact; fact = settle(copy, follows)) {
    if (events.length > mostFollows) throw new Error(`what follows from ${type} does not end: ${fact.type} again`);
    take(stamp(copy, fact, follows));
  }
  return events;
}

/** A turn that only waits for approval ends with its question, and is listed there. */
function cutOff(state: State): StopPreview["turns"] {
  if (state.agent?.status === "stopped") return [];
  return [...state.participants.values()].flatMap((one) => {
    if (one.kind === "human" || !one.turn || (one.turn.status === "acting" && one.turn.asking)) return [];
    const calls = one.turn.status === "acting" ? one.turn.calls : [];
    return [{ participant: one.id, tools: calls.filter(({ status }) => status === "started").map(({ tool }) => tool) }];
  });
}

function lineOf(node: Node): StopPreview["nodes"][number] {
  const worker = "worker" in node && node.worker ? { worker: node.worker } : {};
  return { node: node.id, name: node.name, status: node.status as "pending", ...worker };
}

function askedLine({ id, by, text, approves, host }: Question): StopPreview["questions"][number] {
  const what = approves?.tool ?? host?.host;
  return { question: id, by, text: text.trim().split("\n")[0]!, ...(what === undefined ? {} : { approves: what }) };
}

function stageLine(
  state: State,
  { stage, completed }: { stage: string; completed: readonly string[] },
): StopPreview["stages"][number] {
  const of = [...state.nodes.values()].filter((node) => node.stage === stage).length;
  return { stage, name: state.stages.get(stage)?.name ?? stage, completed: completed.length, of };
}

function endsInWords(state: State, { nodes, questions, turns, stages }: Omit<StopPreview, "words">): Ending[] {
  const name = (id: string) => state.participants.get(id)?.name ?? id;
  const asker = (id: string, more: string | undefined) => (more ? `${name(id)} (${more})` : name(id));
  const ends: Ending[] = [
    {
      what: "nodes",
      text: count(nodes.length, "node ends", "nodes end"),
      names: nodes.map(({ node }) => node),
    },
    {
      what: "questions",
      text: count(questions.length, "question lapses", "questions lapse"),
      names: questions.map(({ question, by, approves }) => `${question} of ${asker(by, approves)}`),
    },
    {
      what: "turns",
      text: `${count(turns.length, "turn is", "turns are")} cut off, and the answer under way is lost`,
      names: turns.map(({ participant, tools }) => asker(participant, tools.join(", "))),
    },
  ];
  const lines = ends.filter(({ names }) => names.length);
  for (const { name: stage, completed, of } of stages)
    lines.push({ what: "stages", text: `The stage ${stage} ends with ${completed} of ${of} nodes done`, names: [] });
  return lines.length ? lines : [{ what: "nothing", text: "Nobody is working, so nothing is interrupted", names: [] }];
}

function keptInWords({ nodes, questions }: StopPreview["kept"]): string {
  const parts = [
    "all files",
    "the coordinator's conversation",
    ...(nodes ? [count(nodes, "completed node", "completed nodes")] : []),
    ...(questions ? [`${count(questions, "question", "questions")} of the coordinator`] : []),
  ];
  return `Kept: ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}.`;
}

function pauseInWords(nodes: number, questions: number, turns: number): string {
  const parts = [
    ...(nodes ? [count(nodes, "node", "nodes")] : []),
    ...(questions ? [count(questions, "question", "questions")] : []),
  ];
  const stay = parts.length
    ? `${parts.join(" and ")} stay${nodes + questions === 1 ? "s" : ""} as ${nodes + questions === 1 ? "it is" : "they are"}`
    : "everything stays as it is";
  const finish = turns
    ? `; ${count(turns, "turn", "turns")} under way ${turns === 1 ? "is" : "are"} finished first`
    : "";
  return `Pause instead ends nothing: ${stay}${finish}, and Go on continues from there.`;
}

const count = (many: number, one: string, more: string): string => `${many} ${many === 1 ? one : more}`;

const mostNamed = 6;

const some = (names: readonly string[]): string =>
  names.length > mostNamed
    ? `${names.slice(0, mostNamed - 1).join(", ")} and ${names.length - mostNamed + 1} more`
    : names.join(", ");

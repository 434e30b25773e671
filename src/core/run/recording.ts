/**
 * Makes a recording of one run from the events of an agent.
 *
 * Always holds: each answer has the tool results that came before it, so that whoever plays it can tell where another course begins. A turn that got
 * no answer is not in it. Who is spawned in it has no model of its own, so that everyone is played from the recording.
 *
 * A program calls our tools in the middle of its turn; each such call is an answer of its own, as if a model had asked for it. What it did with its
 * own tools is only noted, because it cannot be done again.
 */
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { RecordedAnswer, Recording } from "../../schema/recording.ts";
import { noAmount } from "../agent/budget.ts";

export interface RecordingChoice {
  /** The last one if missing. */
  run?: string | undefined;
  /** All if missing. */
  participant?: string | undefined;
}

/** What has happened since the last answer of one participant. */
interface Open {
  results: RecordedAnswer["results"];
  thoughts: string[];
  /** Calls of a program, with what became of them. */
  own: Map<string, Own>;
}

interface Own {
  tool: string;
  input: unknown;
  reported: boolean;
  ended?: RecordedAnswer["results"][number] & { parks: boolean };
}

export function recordingOf(
  agent: string,
  events: Iterable<Event>,
  { run, participant }: RecordingChoice = {},
): Recording {
  const runs = new Map<string, Recording>();
  let open = new Map<string, Open>();
  for (const event of events) {
    if (event.type === "run.started") {
      open = new Map();
      runs.set(event.data.run, {
        head: { recording: 1, agent, run: event.data.run, goal: event.data.goal },
        answers: [],
      });
    }
    const answers = runs.get(event.run ?? "")?.answers;
    if (!answers || !("participant" in event.data)) continue;
    const who = event.data.participant;
    const mine = open.get(who) ?? { results: [], thoughts: [], own: new Map() };
    open.set(who, mine);
    const given = answersIn(event, mine);
    if (participant === undefined || participant === who) answers.push(...given);
  }
  const found = run === undefined ? [...runs.values()].at(-1) : runs.get(run);
  if (!found)
    throw new Problem("not_found", `${agent} has no run ${run ?? ""}; runs: ${[...runs.keys()].join(", ") || "none"}`);
  if (found.answers.length) return found;
  throw new Problem("not_found", `${participant ?? "nobody"} answered nothing in ${found.head.run} of ${agent}`);
}

/** The answers that end with this event. */
function answersIn(event: Event, mine: Open): RecordedAnswer[] {
  switch (event.type) {
    case "program.reported":
      mine.thoughts.push(event.data.text);
      return [];
    case "tool.called": {
      const { call, tool, input, reported = false } = event.data;
      mine.own.set(call, { tool, input, reported });
      return [];
    }
    case "tool.ended": {
      const { call, tool, outcome, result, nudge, wait, final } = event.data;
      const ended = { tool, outcome, result: nudge ? `${result}\n\n[${nudge}]` : result };
      const own = mine.own.get(call);
      if (own) own.ended = { ...ended, parks: wait !== undefined || final };
      else mine.results.push(ended);
      return [];
    }
    case "turn.answered":
      return answered(event.data, mine);
    default:
      return [];
  }
}

function answered(
  { participant, text, calls, cost, usage, stop }: Extract<Event, { type: "turn.answered" }>["data"],
  mine: Open,
): RecordedAnswer[] {
  const answers: RecordedAnswer[] = [];
  const add = (given: Partial<RecordedAnswer>) => {
    const { results, thoughts } = mine;
    answers.push({ participant, results, thoughts, text: "", calls: [], cost: noAmount, ...given });
    mine.results = [];
    mine.thoughts = [];
  };
  let parks = false;
  for (const [id, { tool, input, reported, ended }] of mine.own) {
    if (reported) mine.thoughts.push(`${tool} ${JSON.stringify(input)}${ended ? `: ${ended.outcome}` : ""}`);
    else {
      add({ calls: [{ id, tool, input: withoutModel(tool, input) }] });
      if (ended) mine.results.push({ tool: ended.tool, outcome: ended.outcome, result: ended.result });
      parks = ended?.parks === true;
    }
  }
  mine.own.clear();
  const more = { ...(usage && { usage }), ...(stop && { stop }) };
  const asked = calls.map((call) => ({ ...call, input: withoutModel(call.tool, call.input) }));
  // Who is parked, or has handed its work over, is not asked for its last words.
  if (!parks) add({ text, calls: asked, cost, ...more });
  return answers;
}

/** Only what chooses who thinks is left out. */
function withoutModel(tool: string, input: unknown): unknown {
  if ((tool !== "spawn_worker" && tool !== "create_work_node") || typeof input !== "object" || !input) return input;
  const { model: _model, agent_command: _command, type: _type, ...rest } = input as Record<string, unknown>;
  return rest;
}

/** What a scenario left behind, read from the files alone: the log, the answer, what was published, what everyone did. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { agentStatus } from "../../src/core/agent/status.ts";
import { reduce } from "../../src/core/reduce.ts";
import { emptyState, type State } from "../../src/core/state.ts";
import type { Event } from "../../src/schema/event.ts";

/** Of each log that was read: how long it was, and what it said. */
const known = new Map<string, { size: number; events: Event[] }>();

/** The whole lines of the log as it is now; one that is being written is left out. The same list as long as nothing was written. */
export function events(home: string, agent: string): Event[] {
  const path = join(home, "agents", agent, "events.jsonl");
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const before = known.get(path);
  if (before?.size === size) return before.events;
  const events = size ? parse(path) : [];
  known.set(path, { size, events });
  return events;
}

function parse(path: string): Event[] {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Event);
}

export const of = <T extends Event["type"]>(all: readonly Event[], type: T) =>
  all.filter((event): event is Extract<Event, { type: T }> => event.type === type);

export interface Done {
  by: string;
  tool: string;
  input: Record<string, unknown>;
  outcome: string;
  result: string;
}

/** Every call that ended, with what was asked and what came of it. */
export function done(all: readonly Event[]): Done[] {
  const inputs = new Map<string, Record<string, unknown>>();
  for (const { run, data } of of(all, "turn.answered"))
    for (const call of data.calls) inputs.set(`${run} ${data.turn} ${call.id}`, call.input as Record<string, unknown>);
  return of(all, "tool.ended").map(({ run, data }) => ({
    by: data.participant,
    tool: data.tool,
    input: inputs.get(`${run} ${data.turn} ${data.call}`) ?? {},
    outcome: data.outcome,
    result: data.result,
  }));
}

export function stateOf(all: readonly Event[]): State {
  const state = emptyState();
  for (const event of all) reduce(state, event);
  return state;
}

/** What people were shown of the agent, from change to change. */
export function statuses(all: readonly Event[]): string[] {
  const state = emptyState();
  const seen: string[] = [];
  for (const event of all) {
    reduce(state, event);
    const now = agentStatus(state);
    if (seen.at(-1) !== now) seen.push(now);
  }
  return seen;
}

/** Every file below a folder, by its path there. */
export function tree(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const found: Record<string, string> = {};
  for (const one of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (one.isFile()) {
      const path = join(one.parentPath, one.name);
      found[path.slice(folder.length + 1)] = readFileSync(path, "utf8");
    }
  return found;
}

export const runRoot = (home: string, agent: string, run = "r1"): string => join(home, "agents", agent, "runs", run);

/** What counts in the end. Times, costs and the order among those who work side by side are left out. */
export function outcome(home: string, agent: string, run = "r1") {
  const all = events(home, agent).filter((event) => event.run === run);
  const root = runRoot(home, agent, run);
  const published = Object.entries(tree(root)).filter(
    ([path]) => /(^|\/)published\//.test(path) && !path.endsWith("manifest.json"),
  );
  const { nodes } = stateOf(events(home, agent));
  return {
    answer: existsSync(join(root, "_output.md")) ? readFileSync(join(root, "_output.md"), "utf8") : undefined,
    published: Object.fromEntries(published.sort()),
    board: [...nodes.values()].map(({ id, name, status, parent, ...node }) => ({
      id,
      name,
      status,
      parent,
      worker: "worker" in node ? node.worker : undefined,
      summary: "summary" in node ? node.summary : undefined,
    })),
    messages: of(all, "message.posted")
      .map(({ data }) => `${data.from} → ${data.to.join(", ")}: ${data.text}`)
      .sort(),
    /** What was done and lasts; nothing of it may be there twice. */
    did: done(all)
      .filter(
        ({ tool, outcome }) => outcome === "ok" && !/^(read_|list_|check_|wait_|web_|memory_(search|read))/.test(tool),
      )
      .map(({ by, tool, input }) => `${by} ${tool} ${JSON.stringify(input)}`)
      .sort(),
  };
}

/**
 * A team without a model: a coordinator, Alice and Bob, four nodes, mail between the workers, files, effects, programs, an answer.
 *
 * Nobody counts turns: each looks at what is there and asks for what is missing, so a turn that is lost, repeated or given up changes
 * nothing in the end. What reached whom is read from the conversation alone and written into the files and the answer: a message that was
 * lost or came twice shows there. The same state gives the same calls.
 */
import type { Backend, Request } from "../../src/backend/backend.ts";
import type { State } from "../../src/core/state.ts";
import type { Line } from "../../src/schema/worker.ts";

/** What a call may cost and what it costs. */
export const reserve = { usd: 0.002, tokens: 20 };
export const price = { usd: 0.001, tokens: 10 };

/** The client's messages; the coordinator does not finish before it has seen them all. */
export const clients = ["c1", "c2", "c3", "c4", "c5"];
export const clientText = (key: string): string => `client message ${key}`;

export interface TeamOptions {
  state(): State | undefined;
  /** A call reached the provider, and nothing came back yet. */
  called(participant: string): void;
  /** Only messages of clients are missing. */
  missing(): void;
}

interface Wish {
  tool: string;
  input: Record<string, unknown>;
}

export function createTeam({ state, called, missing }: TeamOptions): Backend {
  return {
    worst: () => reserve,
    async *call(request, signal) {
      called(request.participant);
      signal.throwIfAborted();
      const now = state();
      const wishes = !now ? [] : request.participant === "coordinator" ? coordinate(now, request) : work(now, request);
      yield { type: "text", text: `${request.participant} thinks` };
      for (const [index, { tool, input }] of wishes.entries()) yield { type: "call", id: `c${index + 1}`, tool, input };
      yield { type: "end", cost: price };
    },
  };

  function coordinate(now: State, { lines }: Request): Wish[] {
    const nodes = new Map([...now.nodes.values()].map((node) => [node.name, node]));
    const plan = now.run?.status === "open" && now.run.plan;
    const names = ["a", "b", "c", "d"];
    const found = names.filter((name) => nodes.has(name));
    if (!plan || !now.participants.has("bob") || found.length < names.length) {
      return [
        ...(plan ? [] : [{ tool: "write_plan", input: { content: "a and b, then c and d" } }]),
        ...["Alice", "Bob"]
          .filter((name) => !now.participants.has(name.toLowerCase()))
          .map((name) => ({ tool: "spawn_worker", input: { name, role: "works" } })),
        ...names.slice(found.length).map((name) => ({
          tool: "create_work_node",
          input: {
            name,
            task: `make ${name}`,
            worker: name === "a" || name === "c" ? "alice" : "bob",
            depends_on: name > "b" ? ["n1-a", "n2-b"] : [],
          },
        })),
        { tool: "wait_for_nodes", input: {} },
      ];
    }
    const live = [...nodes.values()].filter(({ status }) => !["completed", "failed", "cancelled"].includes(status));
    const waits = now.participants.get("coordinator");
    if (live.length > 0) return waits && "wait" in waits && waits.wait ? [] : [{ tool: "wait_for_nodes", input: {} }];
    const heard = mail(lines, "human").filter((text) => text.startsWith("client"));
    if (clients.some((key) => !heard.includes(clientText(key)))) {
      missing();
      return [];
    }
    const ends = names.map((name) => `${name} ${nodes.get(name)?.status}`);
    return [{ tool: "finish", input: { summary: [...ends, ...heard.sort()].join("\n") } }];
  }
}

/** What a worker does for its node, in groups; each group is one answer. */
function work(now: State, { participant, node, lines }: Request): Wish[] {
  const held = node ? now.nodes.get(node) : undefined;
  if (held?.status !== "running") return [];
  const since = lines.slice(lastAssigned(lines, held.id));
  const { name } = held;
  const other = participant === "alice" ? "bob" : "alice";
  const note = `${name} of ${participant} is nearly there`;
  const first: Wish[][] = [
    [{ tool: "poke", input: { what: name } }, file(`${name}.md`, `${name} by ${participant}\n`)],
    [{ tool: "send_message", input: { to: other, content: note } }],
    [{ tool: participant === "alice" ? "program" : "measure", input: {} }, file("deep/er.md", "deeper\n")],
    [file("effects.md", ["poke", "program", "measure"].map((tool) => `${tool}: ${outcome(since, tool)}\n`).join(""))],
  ];
  const then: Wish[][] = [[file(`${name}.md`, mail(lines, other).sort().join("\n"))]];
  const publish = [{ tool: "publish", input: { summary: `made ${name}` } }];
  const groups = [...(name < "c" ? first : then), publish];
  for (const group of groups) {
    const open = group.filter((wish) => !settled(now, since, participant, wish));
    if (open.length) return open;
  }
  return [];
}

const file = (path: string, content: string): Wish => ({ tool: "write_file", input: { path, content } });

/** Done, or nobody knows and it must not be repeated. What was said is looked up before it is said again. */
function settled(now: State, lines: readonly Line[], me: string, { tool, input }: Wish): boolean {
  if (tool === "send_message") return now.channel.some(({ from, text }) => from === me && text === input.content);
  const done = outcome(lines, tool, input);
  return done === "ok" || (done === "unknown" && (tool === "poke" || tool === "program"));
}

/** How the newest call of this tool, with this input if it is said, ended. */
function outcome(lines: readonly Line[], tool: string, input?: unknown): string {
  for (const line of lines.toReversed()) {
    if (line.role !== "tool" || line.tool !== tool) continue;
    const asked = lines.find((one) => one.role === "assistant" && one.turn === line.turn);
    const call = asked?.role === "assistant" ? asked.calls.find(({ id }) => id === line.call) : undefined;
    if (input === undefined || JSON.stringify(call?.input) === JSON.stringify(input)) return line.outcome;
  }
  return "-";
}

const entries = (lines: readonly Line[]) => lines.flatMap((line) => (line.role === "inbox" ? line.entries : []));

const mail = (lines: readonly Line[], from: string): string[] =>
  entries(lines).flatMap((entry) => (entry.kind === "message" && entry.from === from ? [entry.text] : []));

function lastAssigned(lines: readonly Line[], node: string): number {
  return lines.findLastIndex(
    (line) =>
      line.role === "inbox" &&
      line.entries.some(({ kind, text }) => kind === "assigned" && text.startsWith(`${node}:`)),
  );
}

/**
 * A team of models over HTTP: Anthropic, OpenAI and Gemini at one address, each participant with a script of its own.
 *
 * Which step is next is read from the conversation that is shown, never counted here: a step says its number in its words ("3. …"), and the
 * largest number in sight is how far the participant is. So a process that was killed and started again is answered as before.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { textOf } from "../../src/backend/server.test-help.ts";
import { unmarked } from "../../src/runtime/model.test-help.ts";
import { type Answer, type Asked, type Call, callable, formatOf, read, write } from "./wire.ts";

/** What a participant was shown, with the questions that scripts ask of it. */
export interface Sight extends Asked {
  /** The coordinator, or the name of a worker. */
  who: string;
  /** How many steps it has taken, as far as it can see. */
  taken: number;
  /** The last result of this tool in sight, or an empty text. */
  result(tool: string): string;
  /** Everything in sight: system, words, results. */
  all: string;
}

export type Step =
  | Answer
  | ((sight: Sight) => Answer)
  /** Taken when it says so; until then the participant does what `otherwise` says. */
  | { when(sight: Sight): boolean; otherwise: Answer; does: Answer | ((sight: Sight) => Answer) };

export type Script = readonly Step[] | ((sight: Sight) => Answer);
/** By name: `coordinator`, or a worker's. */
export type Cast = Record<string, Script>;

export const call = (tool: string, input: Record<string, unknown> = {}): Call => ({ tool, input });
/** Calls, in one answer. */
export const calls = (...made: Call[]): Answer => ({ calls: made });
/** A step that builds on what bash said; if nobody knows what that was, it is looked at and run again first. */
export const sure = (again: Call, does: Answer | ((sight: Sight) => Answer)): Step => ({
  when: ({ result }) => !result("bash").startsWith("Outcome unknown"),
  otherwise: calls(call("list_files"), again),
  does,
});
/** How many nodes it was told have ended. */
export const ended = ({ all }: Sight): number =>
  new Set(all.match(/^n\d+\S* (completed[^:\n]*|failed|was cancelled):/gm)).size;
/** What someone says who was woken and has nothing to do. */
const nothing: Answer = { text: "Noted." };

export interface Team {
  url: string;
  asked: Sight[];
  /** Scripts for what follows, for instance another run. */
  play(cast: Cast): void;
  /** Called before each answer; what it returns is waited for. */
  before(hook: (sight: Sight) => Promise<void> | void): void;
  close(): Promise<void>;
}

export async function startTeam(first: Cast): Promise<Team> {
  let cast = first;
  let hook: (sight: Sight) => Promise<void> | void = () => undefined;
  const asked: Sight[] = [];
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    if (text === undefined) return;
    const path = request.url ?? "";
    const format = formatOf(path);
    if (!format) return response.writeHead(404).end(`nobody is asked at ${path}`);
    const sight = see(read(format, path, text));
    asked.push(sight);
    await hook(sight);
    let answer: Answer;
    try {
      answer = next(cast, sight);
    } catch (error) {
      return response
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify({ error: String(error) }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(write(format, callable(sight, answer), sight.tokens, `${asked.length}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    play(other) {
      cast = other;
    },
    before(other) {
      hook = other;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function see(asked: Asked): Sight {
  const [, name = "", rest = ""] = /^You are ([^,:.\n]+)(.*)/.exec(asked.system) ?? [];
  const who = rest.startsWith(", an agent with a lasting identity") ? "coordinator" : name.toLowerCase();
  const taken = Math.max(
    0,
    ...asked.lines.map((line) => (line.by === "me" ? Number(/^(\d+)\. /.exec(line.text)?.[1] ?? 0) : 0)),
  );
  const lines = asked.lines.map((line) => ({ ...line, text: unmarked(line.text) }));
  return {
    ...asked,
    lines,
    who,
    taken,
    result: (tool) => lines.findLast((line) => line.by === "tool" && line.tool === tool)?.text ?? "",
    all: [asked.system, ...asked.lines.map(({ text }) => text)].join("\n"),
  };
}

function next(cast: Cast, sight: Sight): Answer {
  const script = cast[sight.who];
  if (!script) throw new Error(`there is no script for ${sight.who || sight.system.slice(0, 80)}`);
  return typeof script === "function" ? script(sight) : follow(script, sight);
}

/** The step that is next by what is in sight. */
export function follow(steps: readonly Step[], sight: Sight): Answer {
  const step = steps[sight.taken];
  if (!step) return nothing;
  if (typeof step === "object" && "when" in step) {
    if (!step.when(sight)) return step.otherwise;
    return numbered(sight, typeof step.does === "function" ? step.does(sight) : step.does);
  }
  return numbered(sight, typeof step === "function" ? step(sight) : step);
}

const numbered = ({ taken }: Sight, answer: Answer): Answer => ({
  ...answer,
  text: `${taken + 1}. ${answer.text ?? "I go on."}`,
});

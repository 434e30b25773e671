/**
 * A home that is opened in this process, reached by the client of the routes, with models over real HTTP. Each model is named after whoever it
 * thinks for (`anthropic/rae`) and takes its steps one after the other; when they are used up it has nothing to say.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../src/client/index.ts";
import { afterThisTest } from "../../src/lib/cleanup.test-help.ts";
import { openDoor } from "../../src/main/house/door.ts";
import type { Event } from "../../src/schema/event.ts";
import type { Team } from "../../src/schema/workflow.ts";
import { type Asked, type Step, startModelServer } from "../model-server.ts";
import { newFolder } from "../program.ts";

export type Turn = Step | ((request: Asked) => Step | Promise<Step>);
export type Play = Record<string, Turn[]>;

export interface House {
  home: string;
  url: string;
  client: Client;
  /** Every request of this model, in order. */
  asked(model: string): Asked[];
  /** What this model was told in its nth request: system, conversation, results. */
  told(model: string, nth?: number): string;
  /** What its tool calls were answered, as its nth request shows them. */
  results(model: string, nth: number): string[];
  /** Waits until nothing more happens by itself. */
  rest(agent: string): Promise<void>;
  events(agent: string): Event[];
  /** `FROM to TO, TO: TEXT`, as the channel has it. */
  channel(agent: string): Promise<string[]>;
}

/** Rae and Cody, led by nobody, each with a model of its own name. */
export const pair = (kickoff: string, more: Partial<Team> = {}) => ({
  body: {
    name: "t",
    model: "anthropic/none",
    team: {
      workers: [
        { name: "Rae", role: "reviews", model: "anthropic/rae" },
        { name: "Cody", role: "codes", model: "anthropic/cody" },
      ],
      nodes: [],
      stages: [],
      lead: false as const,
      kickoff,
      ...more,
    },
  },
});

export const call = (tool: string, input: object = {}): Step => ({ calls: [{ tool, input }] });

export async function openHouse(play: Play = {}, files: Record<string, string> = {}): Promise<House> {
  const requests: (Asked & { model: string })[] = [];
  const taken = new Map<string, number>();
  const server = await startModelServer(async (given) => {
    const request = given as Asked & { model: string };
    requests.push(request);
    const nth = taken.get(request.model) ?? 0;
    taken.set(request.model, nth + 1);
    const turn = play[request.model]?.[nth] ?? { text: "Nothing more." };
    return typeof turn === "function" ? await turn(request) : turn;
  });
  const home = newFolder({ "config.yaml": 'embeddings: "off"\n', ...files });
  const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-ant-none" };
  const { client, close } = await openDoor({ path: home, env, notice: () => undefined });
  afterThisTest(async () => {
    await close();
    await server.close();
  });
  const asked = (model: string) => requests.filter((one) => one.model === model);
  return {
    home,
    url: server.url,
    client,
    asked,
    told: (model, nth = 0) => JSON.stringify(asked(model)[nth] ?? null).replaceAll("\\n", "\n"),
    results: (model, nth) =>
      (asked(model)[nth]?.messages ?? []).flatMap(({ content }) =>
        (Array.isArray(content) ? content : []).flatMap((block: { type: string; content?: unknown }) =>
          block.type === "tool_result" ? [JSON.stringify(block.content).replaceAll("\\n", "\n")] : [],
        ),
      ),
    async rest(agent) {
      const until = { params: { agent }, query: { seconds: 60, until: "rest" as const } };
      while ((await client.waitForAgent(until)).why === "working");
    },
    events: (agent) =>
      readFileSync(join(home, "agents", agent, "events.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    async channel(agent) {
      const { items } = await client.getChannel({ params: { agent }, query: { limit: 500 } });
      return items.toReversed().map(({ from, to, text }) => `${from} to ${to.join(", ")}: ${text}`);
    },
  };
}

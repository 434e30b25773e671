/**
 * What a prompt costs before the first word: tools and system prompt of the first request of a coordinator and of a worker, with every tool of the
 * house granted, an empty memory and a short goal. Counted as bench/prefix.ts counts: what Anthropic is sent, in estimated tokens.
 */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Backend, Request } from "../src/backend/backend.ts";
import { toolsFor } from "../src/backend/shapes.ts";
import { machine } from "../src/lib/machine/index.ts";
import { estimateTokens } from "../src/lib/text/tokens.ts";
import { createRuntime } from "../src/runtime/runtime.ts";
import { Config } from "../src/schema/config.ts";
import { createBash } from "../src/tool/bash.ts";
import { tools } from "../src/tool/index.ts";
import { createWebTools } from "../src/tool/web-tools.ts";
import type { Bench, Figure } from "./figure.ts";
import { createHouse } from "./house.ts";
import type { Place } from "./place.ts";

const goals = { coordinator: 4_500, worker: 3_000 };

export const context: Bench = {
  name: "context",
  about:
    "The fixed cost of a prompt before the first word: tools and system prompt of the first request, with all tools granted, no memory and a short goal.",
  async run(place) {
    const asked = await firstRequests(place);
    return [figureOf("coordinator", asked.get("coordinator")!), figureOf("worker", asked.get("ann")!)];
  },
};

function figureOf(who: keyof typeof goals, request: Request): Figure {
  const wire = toolsFor(request.tools, "anthropic", 0).tools.map((tool) =>
    tool.type === "function"
      ? { name: tool.name, description: tool.description, input_schema: tool.inputSchema }
      : { name: tool.name },
  );
  const text = JSON.stringify([wire, request.system]);
  const value = estimateTokens(text);
  const count = (part: unknown) => estimateTokens(JSON.stringify(part));
  return {
    name: `context.${who}`,
    value,
    unit: "tokens",
    baseline: null,
    ratio: null,
    goal: `≤ ${goals[who]}`,
    ok: value <= goals[who],
    note: `${request.tools.length} tools ${count(wire)}, system prompt ${count(request.system)}; ${encode(text).length} by the o200k tokenizer.`,
  };
}

/** The first request of each participant of a small team. */
async function firstRequests(place: Place): Promise<Map<string, Request>> {
  const asked = new Map<string, Request>();
  const backend: Backend = {
    worst: () => ({ usd: 0, tokens: 0 }),
    async *call(request) {
      const isFirst = !asked.has(request.participant);
      if (isFirst) asked.set(request.participant, request);
      if (isFirst && request.participant === "coordinator") {
        yield { type: "call", id: "c1", tool: "spawn_worker", input: { name: "Ann", role: "writes" } };
        yield { type: "call", id: "c2", tool: "create_work_node", input: { task: "write a page", worker: "Ann" } };
      } else yield { type: "text", text: "done" };
      yield { type: "end", cost: { usd: 0, tokens: 0 } };
    },
  };
  const { web, sandbox } = Config.parse({});
  const outside = [
    createBash({ sandbox }),
    ...createWebTools({ network: machine.network, threads: machine.threads, config: web }),
  ];
  const house = {
    ...createHouse({ home: place.folder("context"), backend: () => backend }),
    tools: [...tools, ...outside],
  };
  const runtime = createRuntime(house);
  await runtime.start();
  await runtime.create({ goal: "write a page", name: "writer", model: "bench/none" });
  while (!asked.has("ann")) await new Promise(setImmediate);
  await runtime.stop();
  await house.store.close();
  return asked;
}

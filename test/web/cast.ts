/** A team that plays a script behind a real provider on loopback: each participant has a model of its own, so the provider knows who asks. */
import { readFileSync } from "node:fs";
import { parseScript, Script, type ScriptInput } from "../../src/backend/scripted.ts";
import { serve } from "../../src/backend/server.test-help.ts";

export interface Cast {
  /** Of a home whose agents play the script. */
  config: string;
  goal: string;
  /** Lets everyone answer at once from now on, also who takes their time now. */
  hurry(): void;
}

/** A script, or the path of one. `pace` times what a step takes. */
export async function createCast(given: ScriptInput | string, pace = 1): Promise<Cast> {
  const script = typeof given === "string" ? parseScript(readFileSync(given, "utf8"), given) : Script.parse(given);
  const server = await serve();
  const turns = new Map<string, number>();
  let speed = pace;
  const hurried = Promise.withResolvers<void>();
  server.answer(async ({ body }, response) => {
    const who = String(body.model);
    const turn = turns.get(who) ?? 0;
    turns.set(who, turn + 1);
    const { say, seconds, usd, calls } = script.participants[who]?.[turn] ?? { say: "", seconds: 0, usd: 0, calls: [] };
    const time = new Promise<void>((resolve) => setTimeout(resolve, seconds * speed * 1000).unref());
    await Promise.race([time, hurried.promise]);
    const chunk = (rest: object) =>
      `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: who, ...rest })}\n\n`;
    const tool_calls = calls.map(({ tool, input }, index) => {
      const own = tool === "spawn_worker" ? { ...input, model: `cast/${String(input.name).toLowerCase()}` } : input;
      return {
        index,
        id: `${who}${turn}-${index}`,
        type: "function",
        function: { name: tool, arguments: JSON.stringify(own) },
      };
    });
    const delta = {
      role: "assistant",
      content: say || (calls.length ? null : "."),
      ...(calls.length ? { tool_calls } : {}),
    };
    const tokens = Math.max(1, Math.round(usd * 100));
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(
        [
          chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
          chunk({ choices: [{ index: 0, delta: {}, finish_reason: calls.length ? "tool_calls" : "stop" }] }),
          chunk({ choices: [], usage: { prompt_tokens: 10, completion_tokens: tokens, total_tokens: tokens + 10 } }),
          "data: [DONE]\n\n",
        ].join(""),
      );
  });
  const models = Object.keys(script.participants).map(
    (who) => `  cast/${who}: { window: 100000, max_output: 20, price: { input: 0, output: 10000 } }\n`,
  );
  return {
    goal: script.goal,
    config: `model: cast/coordinator\nembeddings: "off"\nproviders:\n  cast:\n    base_url: ${server.url}\nmodels:\n${models.join("")}`,
    hurry() {
      speed = 0;
      hurried.resolve();
    },
  };
}

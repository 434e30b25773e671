/** The demo as a model that every daemon has: a script is played, nobody is asked. It is read when it is first needed. */
import { readFile } from "node:fs/promises";
import type { Backend } from "../../backend/backend.ts";
import { createScripted, parseScript, type Script } from "../../backend/scripted.ts";
import { machine } from "../../lib/machine/index.ts";

export const demoModel = "scripted/demo";

/** Of this installation. */
export const demoPath = new URL(
  import.meta.url.endsWith(".ts") ? "../../../examples/demo.yaml" : "../examples/demo.yaml",
  import.meta.url,
);

let read: Promise<Script> | undefined;
const script = (): Promise<Script> =>
  (read ??= readFile(demoPath, "utf8").then((text) => parseScript(text, "demo.yaml")));

/** Nothing if this installation has no demo. */
export const demoGoal = (): Promise<string | undefined> =>
  script().then(
    ({ goal }) => goal,
    () => undefined,
  );

export function createDemoModel(): Backend {
  let made: Backend | undefined;
  return {
    worst: (request) => made?.worst(request) ?? { usd: 0, tokens: 0 },
    async *call(request, signal) {
      made ??= createScripted(await script(), machine.clock);
      yield* made.call(request, signal);
    },
  };
}

import { expect, onTestFinished, test } from "vitest";
import { changeOf } from "./accepted.ts";
import { startWorker } from "./pool.ts";
import { readTargets } from "./targets.ts";

const budget = readTargets().find(({ file }) => file === "src/core/agent/budget.ts")!;
const tests = Array.from({ length: 28 }, (_, index) => ({
  id: `src/core/agent/budget.test.ts#${index}`,
  limit: 20_000,
}));
function number(change: string): number {
  const index = budget.mutants.findIndex((mutant) => changeOf(mutant) === change);
  if (index < 0) throw new Error(`src/core/agent/budget.ts has no mutant "${change}"`);
  return budget.first + index;
}

function start(mutant?: number) {
  const { file, first } = budget;
  const worker = startWorker("run", mutant === undefined ? undefined : { file, first, mutant });
  onTestFinished(() => worker.end());
  return (mutant: number) => worker.ask({ do: "run", mutant, tests });
}

test("the tests beside the code kill a mutant, and the process goes on with the next", async () => {
  const kill = start();
  expect(await kill(number("turns + 1 → turns - 1"))).toMatchObject({ say: "killed", clean: true });
  expect(await kill(-1)).toMatchObject({ say: "survived" });
  expect(await kill(number("before.tokens + spent.tokens → before.tokens - spent.tokens"))).toMatchObject({
    say: "killed",
    clean: true,
  });
});

test("code that runs while it is loaded is mutated from the start of a process", async () => {
  const mutant = number("{ ...noAmount, turns: 0, seconds: 0 } → without turns: 0");
  expect(await start()(mutant)).toEqual({ say: "survived", reached: false });
  expect(await start(mutant)(mutant)).toMatchObject({ say: "killed" });
});

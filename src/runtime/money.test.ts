/** Budgets as people meet them: a team, real prices, answers of any length, crashes. The provider's own count is the judge. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Backend, BackendError, type Request } from "../backend/backend.ts";
import { catalog, modelOf } from "../backend/models.ts";
import { costOf, worstOf } from "../backend/price.ts";
import { tokensOf } from "../backend/tokens.ts";
import { Config } from "../schema/config.ts";
import { start } from "./runtime.test-help.ts";

interface Priced extends Backend {
  /** What the provider counts. */
  bill(): number;
  asked: Request[];
}

/** A known model at its real price that does what `act` says and cuts its answers at the limit it was given. */
function priced(
  name: string,
  act: (request: Request) => { output: number; calls?: { tool: string; input: unknown }[]; ms?: number },
  clock: () => { after(ms: number, run: () => void): unknown },
): Priced {
  const [family = "", ...rest] = name.split("/");
  const model = modelOf(Config.parse({}), family, family, rest.join("/"));
  const asked: Request[] = [];
  let bill = 0;
  return {
    name,
    window: model.window,
    asked,
    bill: () => bill,
    most: () => ({ output: model.maxOutput, searches: 0 }),
    worst: (request) => worstOf(model, tokensOf(request), request.allowed ?? { output: model.maxOutput, searches: 0 }),
    async *call(request, signal) {
      asked.push(request);
      const { output: wish, calls = [], ms = 1 } = act(request);
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        clock().after(ms, resolve);
      });
      const most = request.allowed!.output;
      const output = Math.min(wish, most);
      // The estimate of a request errs upwards.
      const usage = { input: Math.floor(tokensOf(request) * 0.7), output, cache_read: 0, cache_write: 0 };
      const cost = costOf(model, usage);
      bill += cost.usd;
      yield { type: "text", text: "so it is" };
      if (wish <= most) for (const [index, call] of calls.entries()) yield { type: "call", id: `c${index}`, ...call };
      yield {
        type: "end",
        cost,
        usage: { model: name, priced: true, ...usage },
        stop: wish <= most ? "done" : "length",
      };
    },
  };
}

const four = ["Ann", "Bea", "Cai", "Dan"];
const say = (tool: string, input: unknown = {}) => ({ tool, input });

/** Spawns the team, gives each a node and waits; each writes a file and publishes; then it finishes. */
function teamwork({ turns, node }: Request): { tool: string; input: unknown }[] {
  if (node)
    return turns % 2
      ? [say("write_file", { path: `f${turns}.md`, content: "x" })]
      : [say("publish", { summary: "made it" })];
  if (turns === 1)
    return four.flatMap((name) => [
      say("spawn_worker", { name, role: "works", type: "harnessed" }),
      say("create_work_node", { task: `do ${name}`, worker: name }),
    ]);
  return turns === 2 ? [say("wait_for_nodes")] : [say("finish", { summary: "done" })];
}

function team(model: string, usd: number, output: (request: Request) => number, ms = 1_500) {
  let world: ReturnType<typeof start>;
  const backend = priced(
    model,
    (request) => ({ output: output(request), calls: teamwork(request), ms }),
    () => world.sim.time,
  );
  world = start({ backend, limits: { concurrency: 4 } });
  return {
    world,
    backend,
    async begin() {
      await world.begin();
      await world.create({ budget: { usd } });
    },
  };
}

test("a team of four under the two dollars of the README comes to its end", async () => {
  const { world, backend, begin } = team("anthropic/claude-sonnet-4-5", 2, () => 600);
  await begin();
  await world.pass();
  expect(world.state().agent).toMatchObject({ status: "completed" });
  expect([...world.state().nodes.values()].map(({ status }) => status)).toEqual(four.map(() => "completed"));
  expect(backend.bill()).toBeLessThan(2);
});

test("where money is tight a turn waits for what others hold, says so, survives a crash, and nobody is paused", async () => {
  const { world, backend, begin } = team("anthropic/claude-sonnet-4-5", 0.9, ({ node }) => (node ? 200 : 3_000));
  await begin();
  await world.until(() => [...world.state().participants.values()].some((one) => "queued" in one && one.queued));
  await world.pass(100);
  const queued = (await world.events()).findLast(({ type }) => type === "turn.queued");
  expect(queued?.data).toMatchObject({ account: "agent", by: expect.arrayContaining([expect.any(String)]) });
  const calls = backend.asked.length;
  await world.pass(1_000);
  expect(backend.asked.length, "who waits does not ask again and again").toBeLessThan(calls + 4);
  await world.restart();
  await world.pass();
  const types = (await world.events()).map(({ type }) => type);
  expect(types).not.toContain("agent.paused");
  expect(world.state().agent).toMatchObject({ status: "completed" });
  expect(backend.bill()).toBeLessThan(0.9);
});

test.each(dearest())("half a dollar buys useful calls of %s", async (model) => {
  let world: ReturnType<typeof start>;
  const act = ({ turns }: Request) => ({ output: 400, calls: [say("write_plan", { content: `plan ${turns}` })] });
  const backend = priced(model, act, () => world.sim.time);
  world = start({ backend, limits: { turns_alone: 5 } });
  await world.begin();
  await world.create({ budget: { usd: 0.5 } });
  await world.pass();
  expect(backend.asked.length).toBeGreaterThanOrEqual(2);
  for (const { allowed } of backend.asked) expect(allowed?.output).toBeGreaterThanOrEqual(1_000);
  expect(backend.bill()).toBeLessThanOrEqual(0.5);
});

/** Of each maker, by the price of an answer. */
function dearest(): string[] {
  return ["anthropic", "openai", "google"].flatMap((family) => {
    const price = (name: string) => modelOf(Config.parse({}), family, family, name).price.output;
    const names = catalog(family).sort((a, b) => price(b) - price(a));
    return names.slice(0, 2).map((name) => `${family}/${name}`);
  });
}

test("an answer that was cut off gets more the next time, as long as there is money", async () => {
  let world: ReturnType<typeof start>;
  const act = ({ turns }: Request) => ({
    output: turns < 5 ? 20_000 : 100,
    calls: [say("finish", { summary: "done" })],
  });
  const backend = priced("anthropic/claude-opus-4", act, () => world.sim.time);
  world = start({ backend });
  await world.begin();
  await world.create({ budget: { usd: 6 } });
  await world.pass();
  const given = backend.asked.map(({ allowed }) => allowed!.output);
  expect(given[1]).toBeGreaterThanOrEqual(Math.min(20_000, 2 * given[0]!));
  expect(world.state().agent?.status).toBe("completed");
});

test("a call that a crash cut off is charged what was sent and the little that can have been heard", async () => {
  const { world, begin } = team("anthropic/claude-sonnet-4-5", 2, () => 600, 60_000);
  await begin();
  await world.pass(1_000);
  const turn = (world.state().participants.get("coordinator") as { turn: { reserved: { usd: number } } }).turn;
  await world.restart();
  const spent = world.state().accounts.get("agent")!.spent.usd;
  expect(spent).toBeGreaterThan(0.01);
  expect(spent).toBeLessThan(turn.reserved.usd / 2);
});

test("a call that breaks off before its first word is paid for all the same, one that was refused is not", async () => {
  let world: ReturnType<typeof start>;
  const act = () => ({ output: 100, calls: [say("finish", { summary: "done" })] });
  const backend = priced("anthropic/claude-sonnet-4-5", act, () => world.sim.time);
  const ends = [
    new BackendError("transient", "answered 529"),
    new BackendError("transient", "the connection was lost", undefined, true),
  ];
  const call: Backend["call"] = async function* (request, signal) {
    const end = ends.shift();
    if (end) throw end;
    yield* backend.call(request, signal);
  };
  world = start({ backend: { ...backend, call } });
  await world.begin();
  await world.create({ budget: { usd: 2 } });
  await world.pass(600_000);
  const [refused, broken] = (await world.events()).flatMap((event) => (event.type === "turn.retried" ? [event] : []));
  expect(refused!.data.lost).toEqual({ usd: 0, tokens: 0 });
  expect(broken!.data.lost.usd).toBeGreaterThan(0.01);
  expect(world.state().agent?.status).toBe("completed");
});

test("no team passes its budget by a cent, and it stops only where what is left buys no useful call", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        "anthropic/claude-opus-4",
        "anthropic/claude-sonnet-4-5",
        "openai/gpt-6-luna",
        "google/gemini-3.1-pro",
      ),
      fc.double({ min: 0.05, max: 4, noNaN: true }),
      fc.array(fc.oneof(fc.nat(1_500), fc.nat(40_000)), { minLength: 1, maxLength: 8 }),
      async (model, usd, lengths) => {
        const { world, backend, begin } = team(model, usd, ({ turns }) => lengths[turns % lengths.length]!);
        await begin();
        await world.pass(3_600_000);
        const { agent, accounts } = world.state();
        expect(backend.bill()).toBeLessThanOrEqual(usd + 1e-9);
        const { spent } = accounts.get("agent")!;
        expect(spent.usd).toBeLessThanOrEqual(usd);
        expect(backend.bill()).toBeLessThanOrEqual(spent.usd + 1e-7);
        expect(accounts.get("agent")!.reserved.usd).toBe(0);
        if (agent?.status !== "paused") return;
        expect(agent.reason.code).toBe("budget");
        // It says how little is left: less than a question and a short answer. The next question may bring a team's tools.
        if (!backend.asked.length) return;
        const [, needs] = /this call may need ([\d.e-]+)/.exec(agent.reason.message) ?? [];
        const least = backend.worst({ ...backend.asked.at(-1)!, allowed: { output: 1_000, searches: 0 } }).usd;
        expect(Number(needs)).toBeLessThan(least * 2);
        expect(usd - spent.usd).toBeLessThan(Number(needs));
      },
    ),
    { numRuns: 20 },
  );
});

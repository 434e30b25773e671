/**
 * The contract, alone and among others, and what only several hosts can show: death, pauses, takeover.
 *
 * The fellow below is the smallest honest owner: it opens on takeover, writes a line per command and wake-up to a log that checks fences as
 * the store does, and knows a key that the log has seen.
 */
import { describe, expect, test } from "vitest";
import type { Receipt } from "../schema/command.ts";
import { Problem } from "../schema/problem.ts";
import { engineContract } from "./contract.ts";
import { createManualClock, createRecordingOwner, createSeededRandom } from "./engine.test-help.ts";
import type { Engine, Lease, Owner } from "./engine.ts";
import { type Cluster, createCluster } from "./simulated.ts";

const leaseMs = 10_000;
const pause = { type: "agent.pause" } as const;

for (const others of [[], ["b", "c"]]) {
  engineContract(others.length > 0 ? "one of three simulated hosts" : "a simulated host", async () => {
    const clock = createManualClock();
    const faults: { agent: string; error: unknown }[] = [];
    const fault = (agent: string, error: unknown) => void faults.push({ agent, error });
    const cluster = createCluster({ clock, random: createSeededRandom(1), leaseMs, fault });
    const engine = cluster.host("a", { clock });
    for (const name of others) await cluster.host(name, { clock }).start(createRecordingOwner());
    return { engine, clock, pass: clock.pass, slack: 100, faults };
  });
}

/** One log per agent; opening with a higher fence shuts out the others. */
function createLogs() {
  const logs = new Map<string, { highest: number; lines: { fence: number; text: string }[] }>();
  const of = (agent: string) => {
    const log = logs.get(agent) ?? { highest: 0, lines: [] };
    logs.set(agent, log);
    return log;
  };
  return {
    lines: (agent: string) => of(agent).lines,
    open({ agent, fence }: Lease) {
      const log = of(agent);
      if (fence <= log.highest) throw new Problem("fenced", `${agent} was opened with ${log.highest}`);
      log.highest = fence;
    },
    append({ agent, fence }: Lease, text: string) {
      const log = of(agent);
      if (fence < log.highest)
        throw new Problem("fenced", `${agent} was opened with ${log.highest}; ${fence} may not write`);
      log.lines.push({ fence, text });
      return log.lines.length;
    },
  };
}

type Logs = ReturnType<typeof createLogs>;

interface Fellow {
  name: string;
  engine: Engine;
  held: Map<string, Lease>;
  takeOvers: string[];
  /** Every lease it was ever given. */
  given: Lease[];
  open(agent: string): Promise<Lease>;
}

async function join(
  cluster: Cluster,
  logs: Logs,
  name: string,
  { clock, act = {} }: { clock: Parameters<Cluster["host"]>[1]["clock"]; act?: Partial<Owner> },
): Promise<Fellow> {
  const engine = cluster.host(name, { clock });
  const held = new Map<string, Lease>();
  const fellow: Fellow = {
    ...{ name, engine, held, takeOvers: [], given: [] },
    async open(agent) {
      const lease = await engine.own(agent);
      fellow.given.push(lease);
      logs.open(lease);
      held.set(agent, lease);
      lease.lost.addEventListener("abort", () => held.get(agent) === lease && held.delete(agent));
      return lease;
    },
  };
  await engine.start({
    async wake(agent) {
      logs.append(held.get(agent)!, "wake");
    },
    async command(agent, _command, { key = "" }): Promise<Receipt> {
      const lease = held.get(agent) ?? (await fellow.open(agent));
      const seen = logs.lines(agent).findIndex(({ text }) => key !== "" && text === key);
      if (seen >= 0) return { seq: seen + 1, repeated: true, made: {} };
      return { seq: logs.append(lease, key), repeated: false, made: { by: name } };
    },
    async takeOver(agent) {
      fellow.takeOvers.push(agent);
      await fellow.open(agent);
    },
    ...act,
  });
  return fellow;
}

async function start(names = ["a", "b"], given: Record<string, { act?: Partial<Owner> }> = {}) {
  const clock = createManualClock();
  const faults: unknown[] = [];
  const fault = (_agent: string, error: unknown) => void faults.push(error);
  const cluster = createCluster({ clock, random: createSeededRandom(7), leaseMs, fault });
  const logs = createLogs();
  const fellows: Record<string, Fellow> = {};
  for (const name of names) fellows[name] = await join(cluster, logs, name, { clock, ...given[name] });
  const { a, b, c } = fellows;
  return { clock, pass: clock.pass, cluster, logs, faults, a: a!, b: b!, c: c! };
}

describe("a killed host", () => {
  test("loses its agents to the next live one, with a higher fence and the wake-up kept", async () => {
    const { a, b, c, clock, pass, cluster, logs } = await start(["a", "b", "c"]);
    const lease = await a.open("x");
    a.engine.wake("x", clock.now() + 5_000);
    cluster.kill("b");
    cluster.kill("a");
    await pass(9_000);
    expect(cluster.owners()).toEqual(new Map([["x", { host: "a", fence: lease.fence }]]));
    await pass(2_000);
    expect(c.takeOvers).toEqual(["x"]);
    expect(b.takeOvers).toEqual([]);
    expect(cluster.owners()).toEqual(new Map([["x", { host: "c", fence: lease.fence + 1 }]]));
    expect(logs.lines("x")).toEqual([{ fence: lease.fence + 1, text: "wake" }]);
    await pass(60_000);
    expect(logs.lines("x")).toHaveLength(1);
    expect(lease.lost.aborted).toBe(false);
  });

  test("is followed by whoever joins, if no host was left", async () => {
    const { a, pass, cluster, logs, clock } = await start(["a"]);
    await a.open("x");
    cluster.kill("a");
    await pass(60_000);
    expect(cluster.owners()).toEqual(new Map());
    const again = await join(cluster, logs, "a", { clock });
    await pass(100);
    expect(again.takeOvers).toEqual(["x"]);
    expect(cluster.owners().get("x")).toEqual({ host: "a", fence: 2 });
  });

  test("cannot be taken over from before its lease has run out", async () => {
    const { a, b, pass, cluster } = await start();
    await a.open("x");
    cluster.kill("a");
    await expect(b.open("x")).rejects.toMatchObject({
      code: "owned_elsewhere",
      message: "x is owned by a with fence 1",
    });
    await pass(leaseMs + 100);
    expect(b.held.has("x")).toBe(true);
  });

  test("answers through its successor: a command waits for the new owner", async () => {
    const { a, b, pass, cluster } = await start();
    await a.open("x");
    cluster.kill("a");
    const answer = b.engine.send("x", pause);
    await pass(leaseMs + 1_000);
    expect(await answer).toMatchObject({ repeated: false, made: { by: "b" } });
  });

  test("dies with a command in hand: with a key it is sent again, without one nobody pretends to know", async () => {
    const { a, b, pass, cluster } = await start(["a", "b"], {
      a: { act: { command: () => Promise.withResolvers<never>().promise } },
    });
    await a.open("x");
    const keyed = b.engine.send("x", pause, { key: "k1" });
    const bare = b.engine.send("x", pause);
    bare.catch(() => undefined);
    await pass(100);
    cluster.kill("a");
    await pass(leaseMs + 1_000);
    expect(await keyed).toMatchObject({ made: { by: "b" } });
    await expect(bare).rejects.toMatchObject({
      code: "closed",
      message: expect.stringMatching(/lost x .*agent\.pause/),
    });
  });

  test("is not asked to take over, even if it died on the way there", async () => {
    const { a, b, c, pass, cluster } = await start(["a", "b", "c"]);
    await a.open("x");
    cluster.kill("a");
    await pass(leaseMs);
    expect(cluster.owners().has("x")).toBe(false);
    cluster.kill("b");
    await pass(100);
    expect(b.takeOvers).toEqual([]);
    expect(c.takeOvers).toEqual(["x"]);
  });

  test("has one host asked at a time: who joins meanwhile is not", async () => {
    const { a, pass, cluster, logs, clock } = await start(["a", "b"], {
      b: { act: { takeOver: async () => undefined } },
    });
    await a.open("x");
    cluster.kill("a");
    await pass(leaseMs + 100);
    const c = await join(cluster, logs, "c", { clock });
    await pass(1_000);
    expect(c.takeOvers).toEqual([]);
    await pass(leaseMs);
    expect(c.takeOvers).toEqual(["x"]);
  });

  test("has the next host asked when the first cannot take over", async () => {
    const { a, b, c, pass, cluster, faults } = await start(["a", "b", "c"], {
      b: { act: { takeOver: async () => Promise.reject(new Error("no disk")) } },
    });
    await a.open("x");
    cluster.kill("a");
    await pass(2 * leaseMs + 1_000);
    expect(faults).toEqual([new Error("no disk")]);
    expect(b.held.has("x")).toBe(false);
    expect(c.takeOvers).toEqual(["x"]);
  });
});

describe("a command", () => {
  test("from any host reaches the owner's", async () => {
    const { a, b, c, pass } = await start(["a", "b", "c"]);
    await b.open("x");
    const answers = Promise.all([a, b, c].map(({ engine }) => engine.send("x", pause)));
    await pass(100);
    expect((await answers).map(({ made }) => made.by)).toEqual(["b", "b", "b"]);
  });

  test("that finds no owner for two leases is refused, and the agent is named", async () => {
    const refuse = { act: { takeOver: async () => undefined } };
    const { a, b, pass, cluster } = await start(["a", "b"], { b: refuse });
    await a.open("x");
    cluster.kill("a");
    const answer = b.engine.send("x", pause);
    answer.catch(() => undefined);
    await pass(2 * leaseMs + 1_000);
    await expect(answer).rejects.toMatchObject({
      code: "closed",
      message: expect.stringContaining("x has had no owner"),
    });
  });

  test("that comes to a host which lost the race for an agent goes on to the one that won", async () => {
    const { a, b, pass } = await start(["a", "b"], {
      a: {
        act: {
          command: async (agent) => {
            if (!b.held.has(agent)) await b.open(agent);
            throw new Problem("owned_elsewhere", `${agent} is owned by b`);
          },
        },
      },
    });
    const answer = a.engine.send("x", pause);
    await pass(2_000);
    expect(await answer).toMatchObject({ made: { by: "b" } });
  });
});

describe("a paused host", () => {
  test("that resumes in time keeps its agents, and gets the wake-up it missed", async () => {
    const { a, b, clock, pass, cluster, logs } = await start();
    const lease = await a.open("x");
    a.engine.wake("x", clock.now() + 1_000);
    cluster.pause("a");
    await pass(6_000);
    expect(logs.lines("x")).toEqual([]);
    cluster.resume("a");
    await pass(60_000);
    expect(logs.lines("x")).toEqual([{ fence: 1, text: "wake" }]);
    expect(lease.lost.aborted).toBe(false);
    expect(b.takeOvers).toEqual([]);
  });

  test("is a zombie once its lease has run out: the log refuses it, and on its return it learns of the loss", async () => {
    const { a, b, clock, pass, cluster, logs } = await start();
    const old = await a.open("x");
    logs.append(old, "before");
    cluster.pause("a");
    await pass(leaseMs + 1_000);
    expect(b.held.get("x")?.fence).toBe(2);
    b.engine.wake("x", clock.now() + 30_000);
    expect(old.lost.aborted).toBe(false);
    expect(() => logs.append(old, "zombie")).toThrow(expect.objectContaining({ code: "fenced" }));
    a.engine.wake("x", null);
    cluster.resume("a");
    expect(old.lost.aborted).toBe(true);
    await old.release();
    a.engine.wake("x", null);
    await pass(60_000);
    expect(cluster.owners().get("x")).toEqual({ host: "b", fence: 2 });
    expect(logs.lines("x").map(({ text }) => text)).toEqual(["before", "wake"]);
  });

  test("that was alone takes its own agent over again, with a new fence", async () => {
    const { a, pass, cluster } = await start(["a"]);
    const old = await a.open("x");
    cluster.pause("a");
    await pass(60_000);
    cluster.resume("a");
    expect(old.lost.aborted).toBe(true);
    await pass(100);
    expect(a.takeOvers).toEqual(["x"]);
    expect(a.held.get("x")?.fence).toBe(2);
  });

  test("answers when it resumes, if it still owns the agent then", async () => {
    const { promise, resolve } = Promise.withResolvers<Receipt>();
    const { a, b, pass, cluster } = await start(["a", "b"], { a: { act: { command: () => promise } } });
    await a.open("x");
    let answers = 0;
    const answer = b.engine.send("x", pause).finally(() => {
      answers += 1;
    });
    await pass(100);
    cluster.pause("a");
    resolve({ seq: 9, repeated: false, made: {} });
    await pass(5_000);
    expect(answers).toBe(0);
    cluster.resume("a");
    await pass(100);
    expect(await answer).toMatchObject({ seq: 9 });
  });

  test("with a command in hand is not waited for longer than its lease lasts", async () => {
    const never = Promise.withResolvers<never>().promise;
    const { a, b, pass, cluster } = await start(["a", "b"], { a: { act: { command: () => never } } });
    await a.open("x");
    const answer = b.engine.send("x", pause, { key: "k1" });
    await pass(100);
    cluster.pause("a");
    await pass(leaseMs + 1_000);
    expect(await answer).toMatchObject({ made: { by: "b" } });
  });

  test("releases nothing until it resumes", async () => {
    const { a, pass, cluster } = await start(["a"]);
    const lease = await a.open("x");
    cluster.pause("a");
    const released = lease.release();
    await pass(1_000);
    expect(cluster.owners().has("x")).toBe(true);
    cluster.resume("a");
    await released;
    expect(cluster.owners().has("x")).toBe(false);
  });

  test("sends and owns nothing until it resumes", async () => {
    const { a, b, pass, cluster, logs } = await start();
    await b.open("x");
    cluster.pause("a");
    const answer = a.engine.send("x", pause);
    const lease = a.engine.own("y");
    await pass(60_000);
    expect(logs.lines("x")).toEqual([]);
    expect(cluster.owners().has("y")).toBe(false);
    cluster.resume("a");
    await pass(100);
    expect(await answer).toMatchObject({ made: { by: "b" } });
    expect((await lease).fence).toBe(1);
  });
});

test("a host that stops hands its agents over at once", async () => {
  const { a, b, pass, cluster } = await start();
  const left = await a.open("x");
  await (await a.open("y")).release();
  await a.engine.stop();
  await pass(100);
  expect(left.lost.aborted).toBe(true);
  expect(b.takeOvers.toSorted()).toEqual(["x", "y"]);
  expect([...cluster.owners().values()].map(({ host }) => host)).toEqual(["b", "b"]);
});

test("a host whose own clock stands still does not renew, and learns of the loss when it owns the agent anew", async () => {
  const { pass, cluster, logs } = await start([]);
  const host = await join(cluster, logs, "still", { clock: createManualClock() });
  const old = await host.open("x");
  await pass(leaseMs + 100);
  expect(host.takeOvers).toEqual(["x"]);
  expect(old.lost.aborted).toBe(true);
  expect(host.held.get("x")?.fence).toBe(2);
});

test("a wake-up is never early by the clock of the host that it comes to", async () => {
  const { clock, pass, cluster, logs } = await start([]);
  const slow = { ...clock, now: () => clock.now() - 30_000 };
  const host = await join(cluster, logs, "slow", { clock: slow });
  await host.open("x");
  host.engine.wake("x", slow.now() + 1_000);
  await pass(999);
  expect(logs.lines("x")).toEqual([]);
  await pass(1);
  expect(logs.lines("x")).toHaveLength(1);
});

test("a name is taken while its host runs, and an unknown one is named", async () => {
  const { clock, cluster } = await start(["a"]);
  expect(() => cluster.host("a", { clock })).toThrow(expect.objectContaining({ code: "name_taken" }));
  expect(() => cluster.kill("z")).toThrow("there is no host z; those that joined are a");
});

describe("in two hundred histories of kills, pauses and returns", () => {
  const agents = ["x", "y"];
  const names = ["a", "b", "c"];

  async function play(seed: number): Promise<void> {
    const random = createSeededRandom(seed);
    const clock = createManualClock();
    const faults: unknown[] = [];
    const fault = (_agent: string, error: unknown) => void faults.push(error);
    const cluster = createCluster({ clock, random: createSeededRandom(seed + 1_000), leaseMs, delayMs: 200, fault });
    const logs = createLogs();
    const all: Fellow[] = [];
    const up = new Map<string, { fellow: Fellow; paused: boolean }>();
    const highest = new Map<string, number>();
    const sent: { from: Fellow; key: string; agent: string; answer: "none" | "ok" | "refused" }[] = [];
    let asked = 0;

    const arrive = async (name: string) => {
      const fellow = await join(cluster, logs, name, { clock });
      all.push(fellow);
      up.set(name, { fellow, paused: false });
    };

    const check = () => {
      for (const agent of agents) {
        const given = all.flatMap((fellow) => fellow.given.filter((lease) => lease.agent === agent));
        const fences = given.map(({ fence }) => fence);
        expect(new Set(fences).size).toBe(fences.length);
        const top = Math.max(0, ...fences);
        expect(top).toBeGreaterThanOrEqual(highest.get(agent) ?? 0);
        highest.set(agent, top);
        const owner = cluster.owners().get(agent);
        if (owner) expect(owner.fence).toBe(top);
        const live = [...up.values()].flatMap(({ fellow }) => fellow.held.get(agent) ?? []);
        expect(live.filter(({ fence }) => fence === top).length).toBeLessThanOrEqual(1);
        for (const lease of live) {
          if (lease.fence < top) expect(() => logs.append(lease, "zombie")).toThrow("may not write");
        }
        const lines = logs.lines(agent);
        expect(lines.every(({ fence }, i) => i === 0 || fence >= lines[i - 1]!.fence)).toBe(true);
        const keys = lines.flatMap(({ text }) => (text === "wake" ? [] : [text]));
        expect(new Set(keys).size).toBe(keys.length);
      }
    };

    const acts: Record<string, (name: string, agent: string) => unknown> = {
      kill: (name) => {
        cluster.kill(name);
        up.delete(name);
      },
      pause: (name) => {
        cluster.pause(name);
        up.get(name)!.paused = true;
      },
      resume: (name) => {
        cluster.resume(name);
        up.get(name)!.paused = false;
      },
      send: (name, agent) => {
        const { fellow: from } = up.get(name)!;
        const one: (typeof sent)[number] = { from, key: `k${sent.length}`, agent, answer: "none" };
        sent.push(one);
        const answered = (answer: "ok" | "refused") => () => {
          one.answer = answer;
        };
        from.engine.send(agent, pause, { key: one.key }).then(answered("ok"), answered("refused"));
      },
      wake: (name, agent) => {
        const holder = cluster.owners().get(agent)?.host;
        if (holder !== name || up.get(name)!.paused) return;
        asked += 1;
        up.get(name)!.fellow.engine.wake(agent, clock.now() + random.int(20_000));
      },
    };

    for (const name of names) await arrive(name);
    for (const agent of agents) await all[0]!.open(agent);
    for (let step = 0; step < 60; step++) {
      const name = random.pick(names);
      if (up.has(name))
        acts[random.pick(["kill", "pause", "resume", "resume", "send", "send", "wake", "wake"])]!(
          name,
          random.pick(agents),
        );
      else if (random.int(2) === 0) await arrive(name);
      await clock.pass(random.int(4_000));
      check();
    }

    for (const name of names) {
      if (up.has(name)) acts.resume!(name, "");
      else await arrive(name);
    }
    await clock.pass(5 * leaseMs);
    check();
    for (const agent of agents) {
      const owner = cluster.owners().get(agent);
      expect(up.get(owner!.host)!.fellow.held.get(agent)?.fence).toBe(owner!.fence);
      expect([...up.values()].filter(({ fellow }) => fellow.held.has(agent))).toHaveLength(1);
      const before = logs.lines(agent).length;
      up.get(owner!.host)!.fellow.engine.wake(agent, clock.now() + 5_000);
      await clock.pass(6_000);
      expect(logs.lines(agent).slice(before)).toEqual([{ fence: owner!.fence, text: "wake" }]);
      asked += 1;
    }
    for (const { from, key, agent, answer } of sent) {
      const alive = up.get(from.name)?.fellow === from;
      if (alive) expect(answer).not.toBe("none");
      if (answer === "ok") expect(logs.lines(agent).filter(({ text }) => text === key)).toHaveLength(1);
    }
    const wakes = agents.flatMap((agent) => logs.lines(agent).filter(({ text }) => text === "wake"));
    expect(wakes.length).toBeLessThanOrEqual(asked);
    // Two hosts may be asked for one agent; nothing else may go wrong.
    expect(faults.filter((error) => !(error instanceof Problem && error.code === "owned_elsewhere"))).toEqual([]);
  }

  test("no fence is given twice, the highest has one holder, and every agent and command finds an owner", async () => {
    for (let seed = 0; seed < 200; seed++) {
      await play(seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
      });
    }
  });
});

/**
 * The contract of every engine, as tests: one process, simulated hosts, a database.
 *
 * Always holds: the tests know only the port and the harness below; time is the harness's, and an engine's action takes at most `slack` of it.
 * Not here: crash, pause and takeover, for which an engine needs more than one host; their tests are with the engines that have them.
 */
import { afterEach, describe, expect, test } from "vitest";
import { Problem } from "../schema/problem.ts";
import { createRecordingOwner, type ManualClock, type RecordingOwner } from "./engine.test-help.ts";
import type { Engine, Owner } from "./engine.ts";

export interface EngineStand {
  /** Not started. */
  engine: Engine;
  /** The engine's own clock. */
  clock: Pick<ManualClock, "now" | "jump">;
  /** Advances it, and runs everything that follows. */
  pass(ms: number): Promise<void>;
  /** How long the engine may take for a wake-up or a command, in its own time. */
  slack: number;
  /** Errors that an owner threw, as reported to the engine. */
  faults: { agent: string; error: unknown }[];
  close?(): Promise<void>;
}

export function engineContract(name: string, make: () => Promise<EngineStand> | EngineStand): void {
  let stand: EngineStand;
  const engine = () => stand.engine;
  const at = (ms: number) => stand.clock.now() + ms;
  const pass = (ms = stand.slack) => stand.pass(ms);

  /** Advances time until the promise settles, but not for ever. */
  async function during<T>(promise: Promise<T>): Promise<T> {
    let over = false;
    const settle = () => {
      over = true;
    };
    promise.then(settle, settle);
    for (let i = 0; i < 20 && !over; i++) await stand.pass(stand.slack / 10);
    if (!over) throw new Error(`nothing came within twice the slack of ${stand.slack} ms`);
    return await promise;
  }

  async function start(act: Partial<Owner> = {}): Promise<RecordingOwner> {
    stand = await make();
    const owner = createRecordingOwner(act);
    await engine().start(owner);
    return owner;
  }

  const code = (expected: string) => expect.objectContaining({ name: "Problem", code: expected });
  const pause = { type: "agent.pause" } as const;

  describe(`${name} is an engine:`, () => {
    afterEach(async () => {
      await stand.engine.stop();
      await stand.close?.();
    });

    test("before it is started it is closed", async () => {
      stand = await make();
      await expect(during(engine().own("a1"))).rejects.toEqual(code("closed"));
      await expect(during(engine().send("a1", pause))).rejects.toEqual(code("closed"));
    });

    test("an agent that is owned cannot be owned again until it is released", async () => {
      await start();
      const lease = await during(engine().own("a1"));
      expect(lease.agent).toBe("a1");
      expect(lease.lost.aborted).toBe(false);
      const refused = await during(
        engine()
          .own("a1")
          .catch((error: unknown) => error),
      );
      expect(refused).toEqual(code("owned_elsewhere"));
      expect((refused as Problem).message).toContain("a1");
      await during(engine().own("a2"));
      await during(lease.release());
      expect((await during(engine().own("a1"))).agent).toBe("a1");
    });

    test("every lease has a higher fence than all before it", async () => {
      await start();
      let last = 0;
      for (let i = 0; i < 5; i++) {
        const lease = await during(engine().own("a1"));
        expect(lease.fence).toBeGreaterThan(last);
        last = lease.fence;
        await during(lease.release());
      }
    });

    test("releasing a lease again leaves the next one alone", async () => {
      await start();
      const first = await during(engine().own("a1"));
      await during(first.release());
      const second = await during(engine().own("a1"));
      await during(first.release());
      await expect(during(engine().own("a1"))).rejects.toEqual(code("owned_elsewhere"));
      expect(second.lost.aborted).toBe(false);
    });

    test("a lease lives as long as its host does", async () => {
      const owner = await start();
      const lease = await during(engine().own("a1"));
      await pass(10 * 60_000);
      expect(lease.lost.aborted).toBe(false);
      await expect(during(engine().own("a1"))).rejects.toEqual(code("owned_elsewhere"));
      expect(owner.takeOvers).toEqual([]);
    });

    test("a wake-up comes once, not before its time", async () => {
      const owner = await start();
      await during(engine().own("a1"));
      engine().wake("a1", at(90_000));
      await pass(89_999);
      expect(owner.wakes).toEqual([]);
      await pass(1 + stand.slack);
      expect(owner.wakes).toEqual(["a1"]);
      await pass(200_000);
      expect(owner.wakes).toEqual(["a1"]);
    });

    test("a wake-up for a time that is over comes at once", async () => {
      const owner = await start();
      await during(engine().own("a1"));
      engine().wake("a1", at(-5_000));
      await pass();
      expect(owner.wakes).toEqual(["a1"]);
    });

    test("a later wake-up replaces the one before, of the same agent only", async () => {
      const times: string[] = [];
      const begin = () => stand.clock.now() - from;
      await start({ wake: async (agent) => void times.push(`${agent} ${begin() >= 50_000 ? "late" : "early"}`) });
      const from = stand.clock.now();
      await during(engine().own("a1"));
      await during(engine().own("a2"));
      engine().wake("a1", at(20_000));
      engine().wake("a2", at(20_000));
      engine().wake("a1", at(50_000));
      await pass(49_000 - begin());
      expect(times).toEqual(["a2 early"]);
      await pass(1_000 + stand.slack);
      expect(times).toEqual(["a2 early", "a1 late"]);
    });

    test("a wake-up that is removed does not come", async () => {
      const owner = await start();
      await during(engine().own("a1"));
      engine().wake("a1", at(20_000));
      engine().wake("a1", null);
      engine().wake("a1", null);
      await pass(60_000);
      expect(owner.wakes).toEqual([]);
    });

    test("when the clock is set back, a wake-up waits for its time", async () => {
      const owner = await start();
      await during(engine().own("a1"));
      engine().wake("a1", at(20_000));
      await pass(10_000);
      stand.clock.jump(-3_600_000);
      await pass(3_600_000);
      expect(owner.wakes).toEqual([]);
      await pass(10_000 + stand.slack);
      expect(owner.wakes).toEqual(["a1"]);
    });

    test("when the clock is set forward or the machine slept, a wake-up is at most a minute late", async () => {
      const owner = await start();
      await during(engine().own("a1"));
      engine().wake("a1", at(7 * 3_600_000));
      await pass(1_000);
      expect(owner.wakes).toEqual([]);
      stand.clock.jump(8 * 3_600_000);
      await pass(60_000 + stand.slack);
      expect(owner.wakes).toEqual(["a1"]);
    });

    test("a wake-up that nobody was there for comes to the next owner", async () => {
      const owner = await start();
      const lease = await during(engine().own("a1"));
      engine().wake("a1", at(20_000));
      await during(lease.release());
      await pass(60_000);
      expect(owner.wakes).toEqual([]);
      await during(engine().own("a1"));
      await pass();
      expect(owner.wakes).toEqual(["a1"]);
    });

    test("whoever is woken may ask for the next wake-up at once", async () => {
      const owner = await start({
        wake: async (agent) => {
          if (owner.wakes.length < 3) engine().wake(agent, at(1_000));
        },
      });
      await during(engine().own("a1"));
      engine().wake("a1", at(1_000));
      for (let i = 0; i < 4; i++) await pass(1_000 + stand.slack);
      expect(owner.wakes).toEqual(["a1", "a1", "a1"]);
    });

    test("what an owner throws when it is woken is told and harms no other agent", async () => {
      const broken = new Error("broken");
      const owner = await start({
        wake: (agent) => {
          if (agent === "a1") throw broken;
          return agent === "a2" ? Promise.reject(broken) : Promise.resolve();
        },
      });
      for (const agent of ["a1", "a2", "a3"]) {
        await during(engine().own(agent));
        engine().wake(agent, at(20_000));
      }
      await pass(20_000 + stand.slack);
      expect(owner.wakes.toSorted()).toEqual(["a1", "a2", "a3"]);
      expect(stand.faults.toSorted((a, b) => (a.agent < b.agent ? -1 : 1))).toEqual([
        { agent: "a1", error: broken },
        { agent: "a2", error: broken },
      ]);
      engine().wake("a1", at(20_000));
      await pass(20_000 + stand.slack);
      expect(owner.wakes.filter((agent) => agent === "a1")).toHaveLength(2);
    });

    test("a command reaches the owner with all it came with, and the receipt comes back", async () => {
      const receipt = { seq: 7, repeated: false, made: { message: "m1" } };
      const owner = await start({ command: async () => receipt });
      await during(engine().own("a1"));
      expect(await during(engine().send("a1", pause, { actor: "human", key: "k1" }))).toEqual(receipt);
      expect(await during(engine().send("a1", pause))).toEqual(receipt);
      expect(owner.commands).toEqual([
        { agent: "a1", command: pause, options: { actor: "human", key: "k1" } },
        { agent: "a1", command: pause, options: {} },
      ]);
    });

    test("the Problem of a command comes back with its code, message and details", async () => {
      await start({
        command: (agent) => {
          throw new Problem("wrong_state", `${agent} is archived`, { status: "archived" });
        },
      });
      await during(engine().own("a1"));
      await expect(during(engine().send("a1", pause))).rejects.toMatchObject({
        name: "Problem",
        code: "wrong_state",
        message: "a1 is archived",
        details: { status: "archived" },
      });
    });

    test("a command to an agent that nobody owns is put to an owner, who may open or refuse it", async () => {
      await start({
        command: async (agent) => {
          throw new Problem("not_found", `there is no agent ${agent}`);
        },
      });
      await expect(during(engine().send("nope", pause))).rejects.toEqual(code("not_found"));
    });

    test("commands are dealt with while others are not answered yet", async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const receipt = { seq: 1, repeated: false, made: {} };
      await start({ command: async (agent) => (agent === "a1" ? promise.then(() => receipt) : receipt) });
      await during(engine().own("a1"));
      await during(engine().own("a2"));
      const slow = engine().send("a1", pause);
      await during(engine().send("a2", pause));
      resolve();
      expect(await during(slow)).toEqual(receipt);
    });

    test("nothing is delivered any more once it is stopped", async () => {
      const owner = await start();
      const lease = await during(engine().own("a1"));
      engine().wake("a1", at(20_000));
      await engine().stop();
      engine().wake("a1", at(10_000));
      await pass(120_000);
      expect(owner).toMatchObject({ wakes: [], commands: [], takeOvers: [] });
      expect(lease.lost.aborted).toBe(true);
      await expect(during(engine().send("a1", pause))).rejects.toEqual(code("closed"));
      await expect(during(engine().own("a1"))).rejects.toEqual(code("closed"));
    });

    test("its functions need no receiver", async () => {
      const owner = await start();
      const { own, wake, send, stop } = engine();
      await during(own("a1"));
      wake("a1", at(120_000));
      await pass(120_000 + stand.slack);
      expect(owner.wakes).toEqual(["a1"]);
      await during(send("a1", pause));
      await stop();
    });
  });
}

/**
 * What all people of a seed share: how they reach a process, and what they were told. They live in no incarnation: the process may die under
 * any of their requests.
 *
 * An actor is one kind of person (one file each); what it was told is judged at the end against the raw log and the disk.
 */
import type { State } from "../../src/core/state.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { CommandInput, Receipt } from "../../src/schema/command.ts";
import { Problem } from "../../src/schema/problem.ts";
import type { SimDisk } from "../disk.ts";
import type { Fleet } from "../fleet.ts";
import type { Line } from "../history.ts";
import type { Up } from "../host.ts";
import type { SimRandom } from "../random.ts";
import type { Setup } from "../setup.ts";
import type { Witness } from "../witness.ts";
import type { SimWorld } from "../world.ts";

export interface Actor {
  /** The agent is there from now on. */
  meet(agent: string): void;
  /** What it is still to be told, if so; nothing is at rest before. */
  awaits?(): string | undefined;
  /** At the end: what it was told is so. */
  judge?(agent: string, evidence: Evidence): Promise<void> | void;
}

/** What is left of an agent at the end. */
export interface Evidence {
  lines: readonly Line[];
  /** Missing if nobody could open it. */
  state: State | undefined;
  /** Of the host that owns it. */
  disk: SimDisk;
  /** What was durable some time before the end: everybody has heard of it by now. */
  written: number;
}

export interface Company {
  readonly sim: SimWorld;
  readonly setup: Setup;
  readonly fleet: Fleet;
  readonly witness: Witness;
  /** Acknowledged commands by key. */
  readonly acked: Map<string, { agent: string; seq: number }>;
  /** Requests that are not answered yet, and how often one was asked again although a process had it. */
  open(): number;
  retries(): number;
  /** From now on only what helps things along. */
  isCalm(): boolean;
  calm(): void;
  /** A stream of chance for one actor. */
  dice(name: string): SimRandom;
  /** One request to a process; rejects when it dies or takes too long. */
  ask<T>(up: Up | undefined, request: (runtime: Runtime) => Promise<T>): Promise<T>;
  /** One command by the human, to any process. */
  send(agent: string, command: CommandInput, key?: string): Promise<Receipt>;
  /** Sends the command, and does not care what becomes of it. */
  tell(agent: string, command: CommandInput): Promise<void>;
  /** Sends it again and again with the same key until it is acknowledged, or refused for good. */
  insist(agent: string, key: string, command: CommandInput): Promise<void>;
  /** Does it again and again until it resolves; counted as a request that is not answered until then. */
  until(agent: string, what: string, attempt: () => Promise<void>): Promise<void>;
}

/** Refused for good: asking again would give the same answer. */
export const isRefusal = (error: unknown): error is Problem =>
  error instanceof Problem &&
  (error.code === "wrong_state" ||
    error.code === "invalid" ||
    (error.code === "not_found" && error.details?.participant !== undefined));

const patienceMs = 20_000;
const nobody = new Problem("closed", "nobody answers");

export function createCompany(sim: SimWorld, setup: Setup, fleet: Fleet, witness: Witness): Company {
  const { time } = sim;
  const dice = sim.random.fork("human");
  const acked: Company["acked"] = new Map();
  let open = 0;
  let retries = 0;
  let calm = false;

  async function ask<T>(up: Up | undefined, request: (runtime: Runtime) => Promise<T>): Promise<T> {
    if (!up) throw nobody;
    return await new Promise<T>((resolve, reject) => {
      up.world.life.onEnd(() => reject(new Error("the connection broke")));
      const cancel = time.after(patienceMs, () => reject(new Error("no answer")));
      Promise.resolve()
        .then(() => request(up.runtime))
        .then(resolve, reject)
        .finally(cancel);
    });
  }

  const send = (agent: string, command: CommandInput, key?: string): Promise<Receipt> => {
    witness.count(`command ${command.type}`);
    return ask(fleet.any(), (runtime) =>
      runtime.send(agent, command, { actor: "human", ...(key === undefined ? {} : { key }) }),
    );
  };

  return {
    sim,
    setup,
    fleet,
    witness,
    acked,
    open: () => open,
    retries: () => retries,
    isCalm: () => calm,
    calm() {
      calm = true;
    },
    dice: (name) => sim.random.fork(name),
    ask,
    send,
    tell: (agent, command) =>
      send(agent, command).then(
        () => undefined,
        () => undefined,
      ),
    async insist(agent, key, command) {
      open++;
      for (;;) {
        try {
          const receipt = await send(agent, command, key);
          const before = acked.get(key);
          if (before && before.seq !== receipt.seq)
            witness.violated("I1", `${key} was acknowledged as ${before.seq} and as ${receipt.seq}`);
          acked.set(key, { agent, seq: receipt.seq });
          if (!dice.chance(setup.lostAcks)) break;
        } catch (error) {
          witness.tell(agent, `${key}: ${String(error)}`);
          if (isRefusal(error)) {
            if (acked.has(key)) witness.violated("I1", `${key} was acknowledged and then refused: ${error.message}`);
            break;
          }
          if (error !== nobody) retries++;
        }
        await time.sleep(100 + dice.int(3_000));
      }
      open--;
    },
    async until(agent, what, attempt) {
      open++;
      for (;;) {
        try {
          await attempt();
          break;
        } catch (error) {
          witness.tell(agent, `${what}: ${String(error)}`);
          if (error !== nobody) retries++;
          await time.sleep(100 + dice.int(1_000));
        }
      }
      open--;
    },
  };
}

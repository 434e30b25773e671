/**
 * All hosts of a seed, and the only place that knows how many there are. One host has the files store and owns everything; several share a
 * store and take over from each other.
 *
 * A paused host cannot be reached by the others, so it loses its agents, and goes on working without knowing: a zombie. Some are stalled as
 * well: what they write arrives only when they come back.
 */
import { createEmbedded } from "../src/engine/embedded.ts";
import { createCluster } from "../src/engine/simulated.ts";
import type { OpenAgent } from "../src/runtime/agent.ts";
import { createFilesStore } from "../src/store/file-store.ts";
import { createHost, type Ground, type Host, home, type Up } from "./host.ts";
import type { Setup } from "./setup.ts";
import { createShared } from "./shared.ts";
import type { Witness } from "./witness.ts";
import type { Incarnation, SimWorld } from "./world.ts";

export interface Fleet {
  readonly hosts: readonly Host[];
  /** A process for a client to talk to; any of them. */
  any(): Up | undefined;
  /** The host that owns the agent, up or not. */
  owner(agent: string): Host | undefined;
  /** The agent where it is owned, if it is open there. */
  opened(agent: string): OpenAgent | undefined;
  /** Boots every host that is down. */
  boot(): void;
  /** One process dies, a given one or any, and comes back after a while. */
  crash(dead?: Incarnation): void;
  /** One process is ended in an orderly way, and comes back after a while. */
  stop(): void;
  /** One host is cut off for a while. Nothing happens where there is only one. */
  pause(): void;
  /** No more faults; whoever is paused comes back. */
  calm(): void;
  /** Whether each agent has at most one owner, and nobody else a newer claim (I11). `calm`: and whether nobody else believes to own it. */
  check(agents: readonly string[], calm: boolean): void;
  /** The raw log, read at the very end. */
  log(agent: string): Promise<Buffer | null>;
  /** A blob as it is kept. */
  blob(agent: string, sha256: string): Promise<Buffer | null>;
}

const leaseMs = 3_000;

export function createFleet(sim: SimWorld, setup: Setup, witness: Witness): Fleet {
  return setup.hosts === 1 ? alone(sim, setup, witness) : together(sim, setup, witness);
}

function alone(sim: SimWorld, setup: Setup, witness: Witness): Fleet {
  const { disk, time } = sim;
  const host = createHost(sim, setup, witness, {
    disk,
    skew: 0,
    store: ({ files, point }) => createFilesStore({ home, files, point }),
    engine: ({ clock }) => createEmbedded({ clock }),
    died: nothing,
  });
  return {
    hosts: [host],
    any: host.up,
    owner: () => host,
    opened: (agent) => host.up()?.runtime.opened(agent),
    boot: host.boot,
    crash(dead) {
      host.crash();
      time.after(dead ? 50 : 1 + sim.random.int(2_000), host.boot);
    },
    stop: () => host.stop(1 + sim.random.int(2_000)),
    pause: nothing,
    calm: nothing,
    check: nothing,
    log: async (agent) => disk.peek(`${home}/agents/${agent}/events.jsonl`),
    blob: async (agent, sha256) => disk.peek(`${home}/agents/${agent}/blobs/${sha256}`),
  };
}

function together(sim: SimWorld, setup: Setup, witness: Witness): Fleet {
  const { time } = sim;
  const dice = sim.random.fork("fleet");
  const cluster = createCluster({
    clock: time,
    random: dice.fork("cluster"),
    leaseMs,
    fault: (agent, error) => witness.violated("fault", `${agent}: an owner threw ${String(error)}`),
  });
  const shared = createShared(dice.fork("shared"), witness, setup.world.disk.eio);
  /** Paused hosts, each with what lets it go on. */
  const paused = new Map<string, () => void>();
  const stalls = new Map<string, Promise<void>>();

  const groundOf = (name: string, index: number): Ground => ({
    disk: index === 0 ? sim.disk : sim.addDisk(),
    skew: dice.pick([0, -1_500, 40_000]),
    store: (world) => shared.mount(name, world, () => stalls.get(name)),
    engine: ({ clock }) => cluster.host(name, { clock }),
    died() {
      paused.delete(name);
      stalls.delete(name);
      cluster.kill(name);
    },
  });
  const names = Array.from({ length: setup.hosts }, (_, index) => `h${index + 1}`);
  const hosts = new Map(names.map((name, index) => [name, createHost(sim, setup, witness, groundOf(name, index))]));
  const all = [...hosts.values()];

  function resume(name: string): void {
    if (isZombie(name)) witness.count("zombie");
    const goOn = paused.get(name);
    paused.delete(name);
    stalls.delete(name);
    cluster.resume(name);
    goOn?.();
  }

  const owner = (agent: string) => hosts.get(cluster.owners().get(agent)?.host ?? "");

  /** Believes to own what another owns by now. */
  function isZombie(name: string): boolean {
    const { runtime } = hosts.get(name)!.up() ?? {};
    return [...cluster.owners()].some(([agent, { host }]) => host !== name && runtime?.opened(agent));
  }

  return {
    hosts: all,
    any() {
      const up = all.flatMap((host) => host.up() ?? []);
      return up.length ? dice.pick(up) : undefined;
    },
    owner,
    opened: (agent) => owner(agent)?.up()?.runtime.opened(agent),
    boot() {
      for (const host of all) host.boot();
    },
    crash(dead) {
      const alive = all.filter((host) => (dead ? host.life() === dead : host.life()));
      if (!alive.length) return;
      const host = dice.pick(alive);
      host.crash();
      time.after(dead ? 50 : 1 + dice.int(3 * leaseMs), host.boot);
    },
    stop() {
      const alive = all.filter((host) => host.up());
      if (alive.length) dice.pick(alive).stop(1 + dice.int(3 * leaseMs));
    },
    pause() {
      const able = names.filter((name) => hosts.get(name)!.up() && !paused.has(name));
      if (!able.length) return;
      const name = dice.pick(able);
      const { promise, resolve } = Promise.withResolvers<void>();
      cluster.pause(name);
      paused.set(name, resolve);
      if (dice.chance(0.5)) stalls.set(name, promise);
      time.after(1 + dice.int(3 * leaseMs), () => {
        if (paused.get(name) === resolve) resume(name);
      });
    },
    calm() {
      shared.calm();
      for (const name of [...paused.keys()]) resume(name);
    },
    check(agents, calm) {
      const owners = cluster.owners();
      for (const agent of agents) {
        const lease = owners.get(agent);
        if (lease && lease.fence < shared.fence(agent))
          witness.violated(
            "I11",
            `${agent}: ${lease.host} has the lease ${lease.fence}, but ${shared.fence(agent)} was used`,
          );
        for (const [name, host] of calm ? hosts : []) {
          if (lease?.host !== name && host.up()?.runtime.opened(agent))
            witness.violated("I11", `${agent}: ${name} still has it open, but ${lease?.host ?? "nobody"} owns it`);
        }
      }
    },
    log: shared.lines,
    blob: shared.blob,
  };
}

const nothing = (): void => undefined;

/**
 * Several hosts in one process and in virtual time, for simulations: the engine contract with crashes, pauses and delays.
 *
 * Always holds: an agent's fences grow over the life of the cluster. A lease is granted only when the previous one was released or has expired. A
 * wake-up leaves the cluster when it is delivered, so it is delivered once, and only the lease's holder can change it. The holder of an old lease
 * learns so at its next renewal, not before: until then only the store's fencing keeps it from writing.
 * A pause partitions a host: its calls and answers wait until it resumes, while its own code runs on if the harness lets it. Promises of a killed
 * host never settle. A command whose owner vanished while handling it is retried only if it has an idempotency key.
 * Not here: the end of a killed host's own timers (stop its clock with it), and losing the cluster's memory.
 */
import type { Clock, Random } from "../lib/world.ts";
import type { CommandInput, Receipt, SendOptions } from "../schema/command.ts";
import { Problem } from "../schema/problem.ts";
import type { Engine, Lease, Owner } from "./engine.ts";

export interface Cluster {
  /** Adds a host under a name that no running host has; a killed one comes back by joining again. It is live once it is started. */
  host(name: string, options: { clock: Clock }): Engine;
  /** Kill -9. Its leases expire. */
  kill(name: string): void;
  pause(name: string): void;
  resume(name: string): void;
  /** Every agent with an unexpired lease. */
  owners(): Map<string, { host: string; fence: number }>;
}

export interface ClusterOptions {
  /** The cluster's own, as a database has one. */
  clock: Clock;
  random: Random;
  leaseMs?: number;
  /** The maximum latency of a message between two hosts. */
  delayMs?: number;
  /** Called with an error that an owner threw although it must not. */
  fault?(agent: string, error: unknown): void;
}

interface Host {
  name: string;
  clock: Clock;
  state: "up" | "paused" | "stopped" | "killed";
  owner: Owner | null;
  /** The leases it believes it holds. */
  leases: Map<string, Held>;
  /** Calls that wait until it resumes. */
  waiting: (() => void)[];
  renewal: () => void;
}

interface Held {
  host: Host;
  fence: number;
  until: number;
  lost: AbortController;
}

interface Agent {
  name: string;
  fence: number;
  lease: Held | null;
  /** The last owner, or the last host asked to take it over. */
  last: Host | null;
  /** Its owner died or left; a live host must take it over. */
  orphan: boolean;
  offer: () => void;
  wakeAt: number | null;
  alarm: () => void;
}

/** A command that an owner is handling. */
interface Call {
  to: Host;
  agent: Agent;
  vanished(): void;
}

/** See embedded.ts. */
const lookAgainMs = 60_000;
const nothing = (): void => undefined;

export function createCluster(options: ClusterOptions): Cluster {
  const { clock, random, leaseMs = 10_000, delayMs = 5, fault = nothing } = options;
  const hosts: Host[] = [];
  const agents = new Map<string, Agent>();
  const calls = new Set<Call>();

  const delay = () => random.next() * delayMs;
  const pass = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const isLive = (host: Host) => host.state === "up" && host.owner !== null;

  function agentOf(name: string): Agent {
    const known = agents.get(name);
    if (known) return known;
    const idle = { offer: nothing, wakeAt: null, alarm: nothing };
    const fresh: Agent = { name, fence: 0, lease: null, last: null, orphan: false, ...idle };
    agents.set(name, fresh);
    return fresh;
  }

  function hostOf(name: string): Host {
    const found = hosts.findLast((host) => host.name === name);
    if (found) return found;
    const names = hosts.map((host) => host.name).join(", ");
    throw new Problem("not_found", `there is no host ${name}; those that joined are ${names || "none"}`);
  }

  // Leases and takeover

  function grant(agent: Agent, host: Host): Lease {
    if (agent.lease) throw elsewhere(agent.name, agent.lease);
    host.leases.get(agent.name)?.lost.abort(); // expired, and it had not noticed yet
    agent.fence += 1;
    const held: Held = { host, fence: agent.fence, until: clock.mono() + leaseMs, lost: new AbortController() };
    host.leases.set(agent.name, held);
    agent.offer();
    Object.assign(agent, { lease: held, last: host, orphan: false, offer: nothing });
    watch(agent, held);
    arm(agent);
    const release = () => {
      if (host.leases.get(agent.name) === held) host.leases.delete(agent.name);
      if (agent.lease === held) agent.lease = null;
    };
    return {
      agent: agent.name,
      fence: held.fence,
      lost: held.lost.signal,
      async release() {
        if (host.state === "killed") return;
        await awake(host);
        release();
      },
    };
  }

  function watch(agent: Agent, held: Held): void {
    clock.after(Math.max(0, held.until - clock.mono()), () => {
      if (agent.lease !== held) return;
      if (clock.mono() < held.until) return watch(agent, held);
      agent.lease = null;
      for (const call of [...calls]) if (call.agent === agent && call.to === held.host) call.vanished();
      abandon(agent);
    });
  }

  function renew(host: Host): void {
    for (const [name, held] of [...host.leases]) {
      if (agentOf(name).lease === held) held.until = clock.mono() + leaseMs;
      else lose(name, held);
    }
  }

  function lose(name: string, held: Held): void {
    held.lost.abort(); // before it is removed: later actions of the former owner still belong to the old lease
    if (held.host.leases.get(name) === held) held.host.leases.delete(name);
  }

  function keepRenewing(host: Host): void {
    host.renewal = host.clock.after(leaseMs / 3, () => {
      if (host.state === "up") renew(host);
      keepRenewing(host);
    });
  }

  function abandon(agent: Agent): void {
    agent.orphan = true;
    offer(agent);
  }

  /** Asks one live host after the other until one owns it; if there is none, the next host that becomes live asks for the orphans. */
  function offer(agent: Agent): void {
    agent.offer();
    agent.offer = nothing;
    const next = liveAfter(agent.last);
    if (!agent.orphan || !next?.owner) return;
    agent.last = next;
    const { owner } = next;
    agent.offer = clock.after(delay(), () => {
      agent.offer = clock.after(leaseMs, () => offer(agent));
      if (isLive(next)) void attempt(agent, () => owner.takeOver(agent.name));
      else offer(agent);
    });
  }

  function liveAfter(last: Host | null): Host | undefined {
    const from = last ? hosts.indexOf(last) + 1 : 0;
    return [...hosts.slice(from), ...hosts.slice(0, from)].find(isLive);
  }

  function offerOrphans(): void {
    for (const agent of agents.values()) if (agent.orphan && agent.offer === nothing) offer(agent);
  }

  async function attempt(agent: Agent, call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      fault(agent.name, error);
    }
  }

  /** Resolves while the host can be reached; never for a killed one. */
  function awake(host: Host): Promise<void> {
    if (host.state === "up" || host.state === "stopped") return Promise.resolve();
    return new Promise((resolve) => void host.waiting.push(resolve));
  }

  // Wake-ups

  function arm(agent: Agent): void {
    agent.alarm();
    agent.alarm = nothing;
    const { wakeAt, lease } = agent;
    if (wakeAt === null || !lease) return; // kept: the next owner arms it
    const wait = Math.min(Math.max(0, wakeAt - lease.host.clock.now()), lookAgainMs);
    agent.alarm = clock.after(wait, () => {
      const { host } = lease;
      if (agent.lease !== lease || !isLive(host) || !host.owner) return; // kept: armed on resume or by the next owner
      if (host.clock.now() < wakeAt) return arm(agent); // by the owner's clock, which may be set back
      const { owner } = host;
      agent.wakeAt = null;
      void attempt(agent, () => owner.wake(agent.name));
    });
  }

  function setWake(host: Host, name: string, at: number | null): void {
    const agent = agentOf(name);
    const mine = host.leases.get(name) ?? null;
    const apply = () => {
      // A former owner must not touch the wake-up of the present one.
      if (agent.lease !== mine || agent.orphan || !isLive(host)) return;
      agent.wakeAt = at;
      arm(agent);
    };
    if (host.state === "paused") host.waiting.push(apply);
    else apply();
  }

  // Commands

  async function send(from: Host, name: string, command: CommandInput, given: SendOptions): Promise<Receipt> {
    const agent = agentOf(name);
    let since = clock.mono();
    for (;;) {
      await pass(delay());
      await awake(from);
      started(from);
      const late = clock.mono() - since >= 2 * leaseMs;
      const to = reach(agent, from);
      const owner = to?.owner;
      if (!to || !owner) {
        if (late) throw unreachable(agent, 2 * leaseMs);
        await pass(leaseMs / 20);
        continue;
      }
      try {
        const answer = await ask(from, to, agent, async () => await owner.command(name, command, given));
        if (answer !== "vanished") return answer;
        if (given.key === undefined) throw undecided(name, to, command);
        since = clock.mono();
      } catch (error) {
        // Refused before it was handled: another host owns the agent by now.
        const moved = error instanceof Problem && error.code === "owned_elsewhere";
        if (!moved || late) throw error;
        await pass(leaseMs / 20);
      }
    }
  }

  /** The owner if it is reachable. An agent without an owner or a pending takeover may be opened by the host that wants it. */
  function reach({ lease, orphan }: Agent, from: Host): Host | null {
    if (!lease) return orphan || !isLive(from) ? null : from;
    return isLive(lease.host) ? lease.host : null;
  }

  function ask(from: Host, to: Host, agent: Agent, deal: () => Promise<Receipt>): Promise<Receipt | "vanished"> {
    const { promise, resolve, reject } = Promise.withResolvers<Receipt | "vanished">();
    const call: Call = { to, agent, vanished: () => reached(from, () => resolve("vanished")) };
    calls.add(call);
    const back = async (answer: () => void) => {
      await awake(to);
      await pass(delay());
      reached(from, answer);
    };
    void deal().then(
      (receipt) => back(() => resolve(receipt)),
      (error) => back(() => reject(error)),
    );
    return promise.finally(() => calls.delete(call));
  }

  // Hosts

  function started(host: Host): Owner {
    if (host.owner) return host.owner;
    throw new Problem("closed", `the engine of ${host.name} is ${host.state === "up" ? "not started" : host.state}`);
  }

  function leave(host: Host, state: "stopped" | "killed"): void {
    host.state = state;
    host.owner = null;
    host.renewal();
    host.waiting = [];
  }

  /** What the others take over, once they know that it has left. */
  function inherit(host: Host): void {
    for (const agent of agents.values()) {
      if (!agent.lease && !agent.orphan && agent.last === host) abandon(agent);
    }
  }

  /** The commands it was handling will get no answer. */
  function giveUp(host: Host): void {
    for (const call of [...calls]) if (call.to === host) call.vanished();
  }

  function engineOf(host: Host): Engine {
    return {
      async start(owner) {
        if (host.state !== "up") throw new Problem("closed", `${host.name} is ${host.state}; let it join again`);
        host.owner = owner;
        host.renewal();
        keepRenewing(host);
        offerOrphans();
      },
      async own(name) {
        await awake(host);
        started(host);
        return grant(agentOf(name), host);
      },
      wake: (name, at) => setWake(host, name, at),
      send: async (name, command, given = {}) => {
        if (host.state !== "killed") started(host);
        return await send(host, name, command, given);
      },
      async stop() {
        if (host.state === "killed" || host.state === "stopped") return;
        await awake(host);
        leave(host, "stopped");
        for (const [name, held] of [...host.leases]) {
          const agent = agentOf(name);
          if (agent.lease === held) agent.lease = null;
          lose(name, held);
        }
        inherit(host);
        clock.after(leaseMs, () => giveUp(host));
      },
    };
  }

  return {
    host(name, { clock }) {
      const before = hosts.findLast((host) => host.name === name);
      if (before?.state === "up" || before?.state === "paused") {
        throw new Problem("name_taken", `${name} is ${before.state}; kill or stop it before it joins again`);
      }
      const own = { leases: new Map<string, Held>(), waiting: [], renewal: nothing };
      const host: Host = { name, clock, state: "up", owner: null, ...own };
      hosts.push(host);
      return engineOf(host);
    },
    kill(name) {
      const host = hostOf(name);
      if (host.state === "killed" || host.state === "stopped") return;
      leave(host, "killed");
      clock.after(leaseMs, () => {
        inherit(host);
        giveUp(host);
      });
    },
    pause(name) {
      const host = hostOf(name);
      if (host.state === "up") host.state = "paused";
    },
    resume(name) {
      const host = hostOf(name);
      if (host.state !== "paused") return;
      host.state = "up";
      renew(host);
      for (const go of host.waiting.splice(0)) go();
      for (const held of host.leases.keys()) arm(agentOf(held));
      offerOrphans();
    },
    owners() {
      const found = new Map<string, { host: string; fence: number }>();
      for (const { name, lease } of agents.values()) {
        if (lease) found.set(name, { host: lease.host.name, fence: lease.fence });
      }
      return found;
    },
  };
}

const elsewhere = (agent: string, { host, fence }: Held): Problem =>
  new Problem("owned_elsewhere", `${agent} is owned by ${host.name} with fence ${fence}`);

function unreachable({ name, lease }: Agent, waited: number): Problem {
  if (!lease) return new Problem("closed", `${name} has had no owner for ${waited} ms; send again later`);
  const { host } = lease;
  return new Problem(
    "owned_elsewhere",
    `${name} is owned by ${host.name}, which has been ${host.state} for ${waited} ms`,
  );
}

const undecided = (agent: string, { name, state }: Host, { type }: CommandInput): Problem =>
  new Problem(
    "closed",
    `${name}, which is ${state}, lost ${agent} while handling ${type}; the command may or may not have been executed. With an idempotency key it is safe to send it again`,
  );

/** Runs the call now, or when the host resumes; never if it is killed. */
function reached(host: Host, call: () => void): void {
  if (host.state === "paused") host.waiting.push(call);
  else if (host.state !== "killed") call();
}

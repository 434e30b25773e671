/**
 * Whether a command in a sandbox may reach a host: asked by the sandbox's proxy for every connection, before the name is resolved.
 *
 * Always holds: what the config allows passes at once, by the config as it is now. For every other host the human is asked, once, and the connection
 * waits for the answer, for a bounded time; a connection that ends first leaves the question open, and the same command finds its answer later. A
 * question that is withdrawn, because its node is over, is not asked again. The log says which host is opened before it is. What never could be
 * reached is refused without a question.
 * Not here: what an answer allows (core/human/host.ts), addresses and ports (lib/machine/proxy.ts).
 */
import { hostPatienceSeconds, permissionFor } from "../../core/human/host.ts";
import { isTainted, sourcesSay } from "../../core/turn/taint.ts";
import { hostFits, normalHost, unreachable } from "../../lib/network/host.ts";
import { expandHosts, subjectOf } from "../../lib/network/registries.ts";
import { shortenMiddle } from "../../lib/text/text.ts";
import { anySignal } from "../../lib/time/abort.ts";
import type { Sandbox, World } from "../../lib/world.ts";
import { judgeFor } from "../../loop/features/policy.ts";
import type { TaintPolicy } from "../../schema/config.ts";
import type { PolicyRule } from "../../schema/policy-rule.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { Live } from "../live.ts";

/** What the config says of the network of commands; changed in place. */
export interface NetworkRules {
  /** Hosts, patterns, and `packages`. */
  readonly hosts: readonly string[];
  /** What happens with every other host. */
  readonly others: "ask" | "deny";
}

export interface HostGateOptions {
  live: Live;
  world: Pick<World, "clock">;
  network?: NetworkRules | undefined;
  policy: readonly PolicyRule[];
  taint?: TaintPolicy | undefined;
  /** Resolves when the state has changed. */
  changed(signal: AbortSignal): Promise<void>;
  redact(text: string): string;
}

export interface HostGate {
  /** Missing if nothing can ever be reached: then the sandbox needs no network. */
  admit?: NonNullable<Sandbox["admit"]>;
  unreached: NonNullable<Sandbox["unreached"]>;
  /** Hosts that were opened. */
  opened(): string[];
  /** Hosts that were not opened or did not answer, each with the reason; `question` if the human can still answer. */
  refused(): { host: string; why: string; question?: string }[];
}

export interface Command {
  participant: string;
  /** What runs now: the idempotency key of its call, and what people are shown of it. */
  now(): { call: string; text: string };
  /** Resolves when it is known what runs, before the human is asked. */
  known?(signal: AbortSignal): Promise<void>;
  /** Told while a connection waits for the human; the returned function is called when it no longer does. */
  waits?(): () => void;
}

/** The name that policy rules may use to forbid it. Other rules do not open anything. */
const network = { name: "network", effect: "outside" } as const;
const longest = 2_000;

export function createHostGate(options: HostGateOptions, { participant, now, known, waits }: Command): HostGate {
  const { live, world, policy, taint } = options;
  const { state } = live;
  const opened = new Map<string, { host: string; opening: Promise<string | null> }>();
  const refused = new Map<string, { host: string; why: string; question?: string }>();

  function me(): Thinker | undefined {
    const one = state().participants.get(participant);
    return one && one.kind !== "human" ? one : undefined;
  }

  function forbidden(host: string): string | undefined {
    const { hosts = [], others = "deny" } = options.network ?? {};
    const one = me();
    if (!one) return `${participant} is not at work`;
    const verdict = judgeFor(state(), policy, network as never, one);
    if (verdict.do === "deny") return verdict.why;
    if (others === "deny") return `it is not among the hosts that commands may reach (${hosts.join(", ") || "none"})`;
    if (taint?.hosts === "deny" && isTainted(state()))
      return `this run has read what ${sourcesSay(state())}, and taint.hosts is deny`;
    return unreachable(host);
  }

  const isAllowed = (host: string): boolean =>
    expandHosts(options.network?.hosts ?? []).some((pattern) => hostFits(host, pattern));

  /** Recorded and durable; once for each call and host. */
  function open(call: string, host: string, subject: string, allowed: boolean): Promise<string | null> {
    const key = `${call} ${host}`;
    const before = opened.get(key)?.opening;
    if (before) return before;
    const opening = live
      .dispatch({ type: "host.open", participant, call, host, subject, allowed }, { actor: participant })
      .then(() => null);
    opened.set(key, { host, opening });
    opening.catch(() => opened.delete(key));
    return opening;
  }

  async function decide(host: string, signal: AbortSignal): Promise<string | null> {
    const subject = subjectOf(host);
    const refuse = (why: string, question?: string): string => {
      refused.set(host, { host, why, ...(question === undefined ? {} : { question }) });
      return `${host} may not be reached: ${why}`;
    };
    if (isAllowed(host)) return open(now().call, host, subject, true);
    const why = forbidden(host);
    if (why !== undefined) return refuse(why);
    await known?.(signal);
    const { call, text } = now();
    const patience = new AbortController();
    const cancel = world.clock.after(hostPatienceSeconds * 1000, () => patience.abort());
    const waiting = anySignal(signal, patience.signal, live.signal);
    let release: (() => void) | undefined;
    let asked: string | undefined;
    try {
      for (;;) {
        const permission = permissionFor(state(), { participant, call, subject });
        if (permission.is === "given" || isAllowed(host)) {
          refused.delete(host);
          return await open(call, host, subject, permission.is !== "given");
        }
        if (permission.is === "refused") return refuse(permission.why);
        if (permission.is === "unknown") {
          // Its node is over: asked again, the question would be nobody's.
          if (asked) return refuse(`${asked} was withdrawn before it was answered`);
          const command = shortenMiddle(options.redact(text), longest);
          await live.dispatch({ type: "host.ask", participant, call, host, subject, command }, { actor: participant });
          continue;
        }
        const { question } = permission;
        asked = question;
        refuse(`the human was asked (${question}) and has not answered yet`, question);
        if (waiting.signal.aborted) return `${refused.get(host)!.why}; try ${host} again once ${question} is answered`;
        release ??= waits?.();
        await options.changed(waiting.signal);
      }
    } catch (problem) {
      // Refused by a limit, or the run is over.
      if (problem instanceof Problem) return refuse(problem.message);
      throw problem;
    } finally {
      cancel();
      waiting.release();
      release?.();
    }
  }

  return {
    ...(options.network && (options.network.hosts.length || options.network.others === "ask")
      ? { admit: (host: string, signal: AbortSignal) => decide(normalHost(host), signal) }
      : {}),
    unreached: (host, why) => void refused.set(host, { host, why }),
    opened: () => [...new Set([...opened.values()].map(({ host }) => host))],
    refused: () => [...refused.values()],
  };
}

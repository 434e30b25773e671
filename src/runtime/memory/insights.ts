/**
 * What becomes of insights: the guard's rules judge each one that is open, and what is accepted, by them, the coordinator or the human, is written
 * into the agent's memory with its source and date.
 *
 * Level-triggered: it looks at the state, so nothing is lost in a crash. The file is written before the log says so; done again, that changes
 * nothing (guard/judge.ts noteWith). By the rules alone: a reflection's insight is accepted, and a worker's if its node is verified or reviewed and no
 * note says otherwise; what is known, says too little or has a secret is declined. Everything else waits for the coordinator or the human. An insight of a
 * run that has read what strangers wrote is kept by the rules only where notes are marked, with its origin, and never in place of a note that has none.
 */

import { assertMayAccept, openInsights, requireInsight } from "../../core/agent/insight.ts";
import { evidenceOf } from "../../core/board/check.ts";
import { isLive } from "../../core/lookup.ts";
import { type Judgement, judge, noteWith } from "../../guard/judge.ts";
import type { Memories, OwnMemory } from "../../guard/memory.ts";
import { hashOf } from "../../guard/memory-index.ts";
import { agentPlace } from "../../guard/memory-place.ts";
import { markNote, trustNote } from "../../guard/note-head.ts";
import type { Clock } from "../../lib/world.ts";
import type { Insight } from "../../schema/insight.ts";
import { Problem } from "../../schema/problem.ts";
import type { Store } from "../../store/store.ts";
import type { Live } from "../live.ts";

export interface Insights {
  /** Judges what is open and was not looked at yet. */
  look(): void;
  /** Writes it into the memory and records that. Throws a Problem if this actor may not, or the note has changed since. */
  accept(id: string, actor: string): Promise<{ path: string }>;
}

export interface InsightsOptions {
  home: string;
  live: Live;
  clock: Clock;
  store: Pick<Store, "putBlob" | "getBlob">;
  memories: Memories;
  /** Whether an insight of a tainted run may be kept with its origin. */
  marks(): boolean;
  isOpen(): boolean;
  track(job: Promise<void>): void;
  notice(problem: Problem): void;
}

export function createInsights(options: InsightsOptions): Insights {
  const { home, live, clock, store, memories, marks, isOpen, track, notice } = options;
  const memory = (): OwnMemory => memories.of(agentPlace(home, live.agent));
  const looked = new Set<string>();
  /** One after the other: each sees what the one before has written. */
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  }

  /** A worker's insight is judged when its node has ended: then it is known what it is worth. */
  function isDue({ id, by, node, file }: Insight): boolean {
    if (looked.has(id) || file) return false;
    const of = node === undefined ? undefined : live.state().nodes.get(node);
    return by === "guard" || !of || !isLive(of);
  }

  async function decide(id: string): Promise<void> {
    const insight = live.state().insights.get(id);
    if (insight?.status !== "open") return;
    const said = await judge(memory(), insight);
    if (said.do === "refuse" || said.do === "known") {
      const reason = said.do === "known" ? `the memory says so already (${said.path})` : said.why;
      await live.dispatch({ type: "insight.decline", insight: id, reason }, { actor: "system" });
    } else if (said.do === "keep" && (await mayKeep(insight, said))) await keep(insight, "system", said);
  }

  async function mayKeep(insight: Insight, { outcome, path }: Extract<Judgement, { do: "keep" }>): Promise<boolean> {
    const { outside, by, node, run } = insight;
    if (outside !== undefined && !marks()) return false;
    if (outside !== undefined && outcome !== "created" && (await memory().origin(path)) === undefined) return false;
    if (by === "guard") return true;
    const { nodes, run: now } = live.state();
    const of = now?.id === run && node !== undefined ? nodes.get(node) : undefined;
    const evidence = of && evidenceOf(of);
    return outcome === "created" && (evidence === "verified" || evidence === "reviewed");
  }

  async function keep(insight: Insight, actor: string, said: Extract<Judgement, { do: "keep" | "known" }>) {
    const { id, subject, text, visibility } = insight;
    if (said.do === "known") {
      const { path } = said;
      await live.dispatch({ type: "insight.accept", insight: id, path, outcome: "known" }, { actor });
      return { path };
    }
    const noted = new Date(clock.now()).toISOString().slice(0, 10);
    const kept = { subject, text, source: sourceOf(insight), noted, visibility };
    const { outside } = insight;
    const written = await memory().edit(said.path, (before) => {
      const note = noteWith(before, kept);
      // People vouch for what they accept.
      if (actor === "human") return trustNote(note);
      return outside === undefined ? note : markNote(note, outside);
    });
    const version =
      written.text === undefined ? {} : { sha256: await store.putBlob(live.agent, Buffer.from(written.text)) };
    const { path } = written;
    const origin = outside !== undefined && actor === "system" ? { origin: outside } : {};
    const accepted = { type: "insight.accept" as const, insight: id, path, outcome: said.outcome, ...version };
    await live.dispatch({ ...accepted, ...origin }, { actor });
    return { path };
  }

  /** A note that was held, as it was written. */
  async function keepFile({ id, file, run }: Insight, actor: string) {
    const { path, sha256, base } = file!;
    const content = await store.getBlob(live.agent, sha256);
    if (!content) throw new Problem("not_found", `the text of ${path} from ${run} is missing`);
    await memory().put(path, content.toString(), (there) => {
      const found = there === null ? null : hashOf(there);
      if (found === base || found === sha256) return;
      throw new Problem(
        "conflict",
        `${path} has changed since ${run} wrote its version; copy what you want from it, then decline ${id}`,
      );
    });
    await live.dispatch({ type: "insight.accept", insight: id, path, outcome: "replaced", sha256 }, { actor });
    return { path };
  }

  return {
    look() {
      if (!isOpen()) return;
      for (const insight of openInsights(live.state())) {
        if (!isDue(insight)) continue;
        looked.add(insight.id);
        const job = inTurn(() => decide(insight.id)).catch((error: unknown) => {
          if (live.signal.aborted || !isOpen()) return;
          notice(
            error instanceof Problem
              ? error
              : new Problem("storage_failed", `${insight.id} could not be kept: ${String(error)}`),
          );
        });
        track(job);
      }
    },
    accept: (id, actor) =>
      inTurn(async () => {
        const insight = requireInsight(live.state(), id);
        assertMayAccept(live.state(), insight, actor);
        if (insight.file) return await keepFile(insight, actor);
        const said = await judge(memory(), insight, { byPeople: actor === "human" });
        if (said.do === "refuse" || said.do === "ask")
          throw new Problem(
            "forbidden",
            `${id} cannot be kept${said.do === "ask" ? " without the human" : ""}: ${said.why}`,
          );
        return await keep(insight, actor, said);
      }),
  };
}

/** Who said it, and where. */
function sourceOf({ run, node, by, outside }: Insight): string {
  const where = [run, node].filter(Boolean).join(" ");
  const who = by === "guard" ? "reflection" : by;
  return [where, who, ...(outside ? [`after reading ${outside}`] : [])].filter(Boolean).join(", ");
}

/**
 * Prepares a run: its setup steps one after the other, then the texts of its documents; then it starts (core/run/setup.ts).
 *
 * Looks only at the state, so it does not matter when or how often it is called. A result is durable before the next step starts. A step that a
 * crash, a pause or a stop interrupted is run again: steps must be repeatable.
 */
import { nextStep } from "../../core/run/setup.ts";
import { setupRoot } from "../../home/layout.ts";
import type { Redactor } from "../../lib/text/redact.ts";
import type { World } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import type { Preparation } from "../../schema/setup.ts";
import type { Store } from "../../store/store.ts";
import type { Checkouts } from "../checkout/checkouts.ts";
import type { Live } from "../live.ts";
import type { NetworkRules } from "../network/host-gate.ts";
import { fillTeam } from "./fill.ts";
import { runStep } from "./run-step.ts";

export interface Setup {
  /** Something may have to be done, or given up. */
  look(): void;
}

export interface SetupOptions {
  home: string;
  world: World;
  live: Live;
  store: Pick<Store, "putBlob" | "getBlob">;
  network: NetworkRules | undefined;
  /** Whether commands run in a sandbox; they do if missing. */
  sandboxed?: (() => boolean) | undefined;
  redact: Redactor;
  checkouts: Pick<Checkouts, "alsoRead">;
  /** Why the agent's folder may not be read; empty if it may. */
  withheld: string;
  isOpen(): boolean;
  track(job: Promise<void>): void;
  notice(problem: Problem): void;
}

export function createSetup(options: SetupOptions): Setup {
  const { home, world, live, store, withheld } = options;
  const { agent, state } = live;
  let busy: { run: string; stop: AbortController } | undefined;

  function wanted(): Preparation | undefined {
    const { agent: who, preparation } = state();
    return who?.status === "active" && options.isOpen() && preparation ? preparation : undefined;
  }

  function look(): void {
    const now = wanted();
    if (busy && busy.run !== now?.run) busy.stop.abort();
    if (busy || !now) return;
    const mine = { run: now.run, stop: new AbortController() };
    busy = mine;
    const over = () => {
      busy = undefined;
      // It may have been given up and wanted again meanwhile.
      if (options.isOpen() && !live.signal.aborted) look();
    };
    options.track(prepare(mine.stop.signal).catch(failed(mine.stop.signal)).then(over));
  }

  async function prepare(signal: AbortSignal): Promise<void> {
    for (let now = wanted(); now && !signal.aborted; now = wanted()) {
      const step = nextStep(now);
      if (!step) return await begin(now);
      await perform(now, signal);
      await world.point?.("setup.recorded");
      if (state().preparation?.results.at(-1)?.outcome !== "passed") return;
    }
  }

  async function perform({ run, results, unsafe }: Preparation, signal: AbortSignal): Promise<void> {
    const step = nextStep(state().preparation!)!;
    const number = results.length + 1;
    const sandboxed = options.sandboxed?.() !== false;
    if (!sandboxed && !unsafe) return await record(run, refused(number, step.shell));
    const root = setupRoot(home, agent, run);
    if (number === 1) await world.files.remove(root);
    await world.files.makeDir(root);
    const result = await runStep(step, number, {
      world,
      home,
      agent,
      run,
      root,
      projects: await projects(),
      network: options.network,
      sandboxed,
      redact: options.redact,
      signal,
      output,
      put: (content) => store.putBlob(agent, Buffer.from(content)),
    });
    await world.point?.("setup.ran");
    await record(run, result);
  }

  const record = async (run: string, result: Awaited<ReturnType<typeof runStep>>): Promise<void> =>
    void (await live.dispatch({ type: "setup.end", run, ...result }));

  /** The agent's folder, and what of the user's its git needs. */
  async function projects(): Promise<string[]> {
    const folder = state().agent?.folder;
    if (folder === undefined || withheld) return [];
    const also = await options.checkouts.alsoRead().catch((problem) => {
      if (problem instanceof Problem) return [];
      throw problem;
    });
    return [folder, ...also];
  }

  async function output(as: string): Promise<string> {
    const found = state().preparation?.results.findLast((one) => one.as === as);
    if (!found?.resource) return "";
    const content = await store.getBlob(agent, found.resource);
    if (!content) throw new Problem("storage_failed", `the output of the setup step ${as} is gone`);
    return content.toString();
  }

  async function begin({ run, team, results }: Preparation): Promise<void> {
    const { documents, ...filled } = await fillTeam(team, results, output);
    const laid = [];
    for (const { name, owner, text } of documents) {
      const sha256 = await store.putBlob(agent, Buffer.from(text));
      laid.push({ name, ...(owner === undefined ? {} : { owner }), sha256, size: Buffer.byteLength(text) });
    }
    await world.point?.("setup.filled");
    await live.dispatch({ type: "run.begin", run, ...filled, documents: laid });
  }

  /** The disk, or a defect: the agent is paused with it, and resuming tries again. */
  const failed =
    (signal: AbortSignal) =>
    (error: unknown): void => {
      if (signal.aborted || live.signal.aborted || !options.isOpen()) return;
      const message = `its run could not be prepared: ${error instanceof Error ? error.message : String(error)}`;
      options.notice(new Problem("storage_failed", message));
      const reason = { code: "setup", message, next_mover: "human" };
      live.dispatch({ type: "agent.pause", reason }).catch(() => undefined);
    };

  return { look };
}

const refused = (step: number, shell: string) =>
  ({ step, shell, outcome: "unsafe", code: null, output: "", size: 0, seconds: 0 }) as const;

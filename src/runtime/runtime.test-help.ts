/** A runtime in a simulated world without faults: virtual time, a disk in memory, the scripted backend. */

import { createSimWorld } from "../../sim/world.ts";
import type { Backend } from "../backend/backend.ts";
import { createScripted, type ScriptInput } from "../backend/scripted.ts";
import type { Channels } from "../channel/channels.ts";
import { defaultLimits, type Limits } from "../core/limits.ts";
import { createEmbedded } from "../engine/embedded.ts";
import type { Engine } from "../engine/engine.ts";
import type { Exit, Files, Program } from "../lib/world.ts";
import type { ConfigTrigger, ReflectionConfig, TaintPolicy } from "../schema/config.ts";
import type { Event } from "../schema/event.ts";
import type { PolicyRule } from "../schema/policy-rule.ts";
import type { Problem } from "../schema/problem.ts";
import type { Index } from "../search/search.ts";
import { createFilesStore } from "../store/file-store.ts";
import { tools as allTools } from "../tool/index.ts";
import type { Tool } from "../toolkit/tool.ts";
import { type Asked, createModel, type Play } from "./model.test-help.ts";
import type { ProgramHost } from "./program/host.ts";
import { createRuntime, type Runtime } from "./runtime.ts";

export const home = "/home";

export interface Options {
  script?: ScriptInput["participants"];
  backend?: Backend;
  /** Instead of a script: answers that may also fail. What was asked is in `asked`. */
  play?: Play;
  /** Of the model that plays. */
  window?: number;
  tools?: Tool[];
  limits?: Partial<Limits>;
  policy?: PolicyRule[];
  /** The programs that models may choose. */
  allowed?: Record<string, string>;
  programs?: ProgramHost;
  taint?: TaintPolicy;
  /** Whether runs are looked back on; never if missing. */
  reflection?: ReflectionConfig;
  /** What the human's rule accepts for the soul. */
  soulEvidence?: number;
  secrets?: string[];
  /** Where the human is told; asked anew in every life. */
  channels?(): Channels;
  /** The derived index; asked anew in every life. */
  index?(): Index;
  triggers?: ConfigTrigger[];
  snapshotEvery?: number;
  restAfterMs?: number;
  /** Chance: what a power loss keeps. */
  seed?: number;
  /** Watches or disturbs the disk. */
  files?(files: Files): Files;
  /** What a command does; the simulated machine decides if missing. */
  command?(program: Program): Promise<Exit>;
  /** Whether commands run in a sandbox. */
  sandboxed?(): boolean;
}

/** `AGIRAPH_ALWAYS_REPLAY=1 npx vitest run src/runtime` runs all of these with the state rebuilt from the log after every step. */
const alwaysReplay = process.env.AGIRAPH_ALWAYS_REPLAY === "1";

export function start(options: Options = {}) {
  const sim = createSimWorld({ seed: options.seed ?? 1, config: { buggify: 0, late: 0 } });
  const notices: Problem[] = [];
  const asked: Asked[] = [];
  /** When each agent is to be woken, as the engine was last told. */
  const alarms = new Map<string, number | null>();
  const alarmed = (engine: Engine): Engine => ({
    ...engine,
    wake(agent, at) {
      alarms.set(agent, at);
      engine.wake(agent, at);
    },
  });
  let world = incarnate();
  let runtime = build();

  function incarnate() {
    const life = sim.incarnate();
    return {
      ...life,
      ...(options.files ? { files: options.files(life.files) } : {}),
      ...(options.command ? { processes: { ...life.processes, run: options.command } } : {}),
    };
  }

  function backend(): Backend {
    if (options.play) return createModel(options.play, asked, world.clock, options.window);
    return options.backend ?? createScripted({ participants: options.script ?? {} }, world.clock);
  }

  function build(): Runtime {
    return createRuntime({
      home,
      world,
      store: createFilesStore({ home, files: world.files, point: world.point }),
      engine: alarmed(createEmbedded({ clock: world.clock })),
      // A test may give one that throws when a rule asks for it.
      limits: Object.defineProperties(
        { ...defaultLimits },
        Object.getOwnPropertyDescriptors(options.limits ?? {}) as PropertyDescriptorMap,
      ),
      tools: [...allTools, ...(options.tools ?? [])],
      ...(options.triggers ? { triggers: options.triggers } : {}),
      ...(options.policy ? { policy: options.policy } : {}),
      ...(options.allowed ? { allowed: options.allowed } : {}),
      ...(options.programs ? { programs: options.programs } : {}),
      ...(options.taint ? { taint: options.taint } : {}),
      ...(options.reflection ? { reflection: options.reflection } : {}),
      ...(options.soulEvidence ? { soulEvidence: options.soulEvidence } : {}),
      ...(options.sandboxed ? { sandboxed: options.sandboxed } : {}),
      ...(options.secrets ? { secrets: options.secrets } : {}),
      ...(options.index ? { index: options.index() } : {}),
      ...(options.channels ? { channels: options.channels() } : {}),
      backend,
      alwaysReplay,
      snapshotEvery: options.snapshotEvery ?? 1000,
      restAfterMs: options.restAfterMs,
      notice: (_agent, problem) => notices.push(problem),
    });
  }

  /** Lets virtual time pass until the promise has settled. */
  async function settled<T>(promise: Promise<T>): Promise<T> {
    let done = false;
    const mark = () => {
      done = true;
    };
    promise.then(mark, mark);
    const why = await sim.time.run({ until: () => done, ms: 3_600_000 });
    if (!done) throw new Error(`nothing more happens (${why}) and the promise is still open`);
    return await promise;
  }

  return {
    sim,
    notices,
    asked,
    settled,
    files: () => world.files,
    runtime: () => runtime,
    create: (given: Partial<Parameters<Runtime["create"]>[0]> = {}, options?: Parameters<Runtime["create"]>[1]) =>
      settled(runtime.create({ goal: "test the runtime", name: "a1", model: "scripted/test", ...given }, options)),
    send: (...given: Parameters<Runtime["send"]>) => settled(Promise.resolve().then(() => runtime.send(...given))),
    /** Lets things happen until nothing is left to do or `ms` of virtual time have passed. */
    pass: (ms = 600_000) => sim.time.run({ ms }),
    until: async (what: () => boolean, ms = 3_600_000) => {
      if ((await sim.time.run({ until: what, ms })) !== "until") throw new Error("it never happened");
    },
    alarm: (agent = "a1") => alarms.get(agent) ?? null,
    state: (agent = "a1") => runtime.opened(agent)!.live.state(),
    async events(agent = "a1"): Promise<Event[]> {
      const text = String(await settled(world.files.read(`${home}/agents/${agent}/events.jsonl`)));
      return text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    },
    /** kill -9, then a new process on the same disk. */
    /** `first`: what is asked of the new process before it lets anyone work. */
    async restart(how: "kill" | "power" = "power", first?: () => Promise<unknown>) {
      world.end(how);
      world = incarnate();
      runtime = build();
      if (first) {
        await settled(runtime.open());
        await settled(first());
        await settled(runtime.recover());
      } else await settled(runtime.start());
    },
    /** The process dies at the nth hit from now of this point; false if it is not reached so often. The next step is `restart`. */
    async dies(point: string, nth = 1, how: "kill" | "power" = "power"): Promise<boolean> {
      sim.crashAt(point, nth, { how });
      return (await sim.time.run({ until: () => world.life.ended, ms: 3_600_000 })) === "until";
    },
    begin: () => settled(runtime.start()),
  };
}

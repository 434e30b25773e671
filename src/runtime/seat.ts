/** Gives each participant its seat: what its loop sees of the agent, and what its tools may touch. */
import { join } from "node:path";
import type { Backend } from "../backend/backend.ts";
import { accountsOf } from "../core/budget.ts";
import type { Memories, OwnMemory } from "../guard/memory.ts";
import { agentPlace, workerPlace } from "../guard/memory-place.ts";
import { either } from "../lib/abort.ts";
import type { World } from "../lib/world.ts";
import type { Seat } from "../loop/seat.ts";
import { Problem } from "../schema/problem.ts";
import type { Thinker } from "../schema/worker.ts";
import { nodeRoot, programTag, runRoot } from "../store/layout.ts";
import type { Desk, Tool } from "../tool/tool.ts";
import type { Edits } from "./edits.ts";
import type { Live } from "./live.ts";
import { type Manifest, publishFolder, sha256 } from "./publish.ts";

export interface SeatOptions {
  home: string;
  live: Live;
  edits: Edits;
  world: World;
  memories: Memories;
  tools: readonly Tool[];
  backend(model: string): Backend;
}

export function createSeat(id: string, options: SeatOptions, signal: AbortSignal): Seat {
  const { live, world, tools, backend } = options;
  const me = (): Thinker | undefined => {
    const one = live.state().participants.get(id);
    return one && one.kind !== "human" ? one : undefined;
  };
  const role = me()?.kind === "coordinator" ? "coordinator" : "worker";
  const own = me();
  const mine = tools.filter(
    (tool) =>
      (!tool.only || tool.only === role) && (!own || !("tools" in own) || !own.tools || own.tools.includes(tool.name)),
  );
  return {
    world,
    signal,
    closed: () => live.signal.aborted,
    me,
    state: live.state,
    open: () => live.state().agent?.status === "active" && live.state().run?.status === "open",
    record(command) {
      live.dispatch(command, { actor: id }).catch(() => undefined);
    },
    durable: live.durable,
    refresh: () => options.edits.notice(me()?.node ?? "none"),
    backend: (model) => backend(model ?? live.state().agent?.model ?? ""),
    get memory() {
      return memoryOf(id, options);
    },
    tools: mine,
    desk: ({ key }) => createDesk(id, key, options, signal),
  };
}

/** The agent's for its coordinator, a worker's own for a worker. */
function memoryOf(id: string, { home, live, memories }: SeatOptions): OwnMemory {
  const { participants, run } = live.state();
  const coordinator = participants.get(id)?.kind === "coordinator";
  return memories.of(coordinator ? agentPlace(home, live.agent) : workerPlace(home, live.agent, run!.id, id));
}

function createDesk(id: string, key: string, options: SeatOptions, signal: AbortSignal): Desk {
  const { home, live, world, edits } = options;
  const { agent, state } = live;
  const one = state().participants.get(id) as Thinker;
  const run = state().run!.id;
  const root = one.node ? nodeRoot(home, agent, run, one.node) : runRoot(home, agent, run);

  async function publish(summary: string, partial: boolean): Promise<string> {
    // A crash hid the result: the node is no longer held, and was published all the same.
    if (state().keys.has(key)) return "Published before.";
    const { node } = one;
    if (!node && one.kind !== "coordinator")
      throw new Problem("wrong_state", `${one.name} holds no node; there is nothing to publish`);
    if (node && state().nodes.get(node)?.status !== "running") {
      throw new Problem(
        "wrong_state",
        `${node} is ${state().nodes.get(node)?.status}; only a running node can be published`,
      );
    }
    if (!node && state().run?.status !== "open")
      throw new Problem("wrong_state", `${run} is ${state().run?.status}; its answer stays as it is`);
    await edits.notice();
    const before = node ? 0 : state().run!.answers;
    const files = await publishFolder(world, root, before ? `published-${before + 1}` : "published", about(node));
    await world.point?.("publish.ready");
    if (node) {
      await live.dispatch({ type: "node.publish", node, summary, partial, files }, { actor: id, key });
      return `Published ${files.map((file) => file.path).join(", ") || "no files"}.`;
    }
    await writeAnswer(before, summary);
    await live.dispatch({ type: "run.finish", summary }, { actor: id, key });
    return "The run is finished; the answer is in _output.md.";
  }

  /** An answer that was given stays as it is; a later one of the same run takes its name and leaves it a number. */
  async function writeAnswer(before: number, summary: string): Promise<void> {
    const [answer, kept] = [join(root, "_output.md"), join(root, `_output-${before}.md`)];
    const { files } = world;
    if (before && !(await files.stat(kept)) && (await files.stat(answer))) await files.move(answer, kept);
    await files.write(answer, `${summary}\n`);
  }

  function about(node: string | undefined): Omit<Manifest, "files"> {
    const { nodes, accounts, seq, run, agent } = state();
    const held = node ? nodes.get(node) : undefined;
    const inputs = (held?.depends_on ?? []).map((ref) => {
      const source = nodes.get(ref);
      return { ref, sha256: sha256(JSON.stringify(source?.status === "completed" ? source.files : [])) };
    });
    const account = accounts.get(node ? accountsOf(id, node, "").at(-1)! : "run");
    return {
      node: node ?? run!.id,
      worker: id,
      model: one.model ?? agent?.model ?? null,
      inputs,
      tool_calls: one.conversation.filter((line) => line.role === "tool").length,
      cost: account?.spent ?? { usd: 0, tokens: 0 },
      events: [run!.first_seq, seq],
      published_at: new Date(world.clock.now()).toISOString(),
    };
  }

  return {
    me: id,
    node: one.node,
    key,
    now: world.clock.now(),
    signal,
    state,
    dispatch: (command, nth = 0) => live.dispatch(command, { actor: id, key: nth ? `${key}/${nth}` : key }),
    async write(path, content) {
      const file = await inside(world, join(root, "scratch"), path);
      await world.files.makeDir(join(file, ".."));
      await world.files.write(file, content);
    },
    async run(command, seconds = 120) {
      const late = new AbortController();
      const cancel = world.clock.after(seconds * 1000, () => late.abort(`it took longer than ${seconds} s`));
      const folder = join(root, "scratch");
      await world.files.makeDir(folder);
      const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder, LANG: "C.UTF-8" };
      const stop = either(signal, late.signal);
      return world.processes
        .run({ command, tag: `${programTag(home)}${key}`, folder, env, signal: stop.signal, output: 10_000 })
        .finally(() => {
          cancel();
          stop.release();
        });
    },
    memory: memoryOf(id, options),
    publish,
  };
}

/** The absolute path of something in a folder. No step may leave it, and none may be a link. */
async function inside(world: World, folder: string, path: string): Promise<string> {
  const steps = path.replaceAll("\\", "/").split("/");
  const bad = path.includes("\0") || path.startsWith("/") || steps.some((step) => step === ".." || step === "");
  if (bad)
    throw new Problem(
      "path_escapes",
      `${JSON.stringify(path)} leaves your scratch folder; use a relative path without ..`,
    );
  let at = folder;
  for (const step of ["", ...steps]) {
    at = join(at, step);
    if ((await world.files.stat(at))?.kind === "other")
      throw new Problem("path_escapes", `${JSON.stringify(path)} leads through a link; write to real folders`);
  }
  return at;
}

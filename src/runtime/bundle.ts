/**
 * An agent as one file: everything it is (its log first, then blobs, files, memory), as a tar that is compressed. Whoever takes it in has the
 * same agent with the same history; it is paused, so that nothing is spent before a person has looked.
 *
 * Always holds: what is packed is a whole prefix of the log and at least everything that prefix needs, also while the agent works. What is
 * unpacked is verified line by line before it is part of the home; until then it lies beside the agents, and a crash leaves none of it there.
 * An import that was acknowledged is on the disk, all of it.
 * Nothing in a bundle is believed: names that lead out, links, and what is too large are refused.
 */
import { join } from "node:path";
import { createTarDecoder, createTarPacker, type TarHeader } from "modern-tar";
import { decide, stamp } from "../core/decide.ts";
import type { Limits } from "../core/limits.ts";
import { reduce } from "../core/reduce.ts";
import { emptyState } from "../core/state.ts";
import type { World } from "../lib/world.ts";
import { AgentId } from "../schema/ids.ts";
import { Problem } from "../schema/problem.ts";
import { onDisk } from "../store/failure.ts";
import { createFilesStore } from "../store/files.ts";
import { agentRoot } from "../store/layout.ts";

export interface BundleOptions {
  home: string;
  world: World;
}

const about = "agiraph.json";
const log = "events.jsonl";
const version = 1;
/** Made from the log again when it is missing. */
const derived = /^(snapshot\.json|.*\.draft-.*)$/;
const mostFiles = 100_000;
const mostBytes = 8 * 2 ** 30;

/** Of imports that a crash cut short; whoever holds the home removes them at its start. */
export async function sweepImports({ home, world }: BundleOptions): Promise<void> {
  for (const { name } of await world.files.list(home))
    if (/^import-[0-9a-f]+$/.test(name)) await world.files.remove(join(home, name));
}

/** The compressed bundle as it is made. */
export function pack({ home, world }: BundleOptions, agent: string): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const within = world.files.within(agentRoot(home, agent));
  const add = async (name: string, content: Uint8Array): Promise<void> => {
    const writer = controller.add({ name, size: content.length, mode: 0o600 }).getWriter();
    await writer.write(content);
    await writer.close();
  };

  async function folder(path: string): Promise<void> {
    for (const { name, kind } of await within.list(path, mostFiles)) {
      const inner = path ? `${path}/${name}` : name;
      if (kind === "folder") await folder(inner);
      else if (kind === "file" && inner !== log && !derived.test(name)) {
        const content = await within.read(inner, mostBytes).catch(() => null); // it may be gone or replaced by now
        if (content) await add(inner, content);
      }
    }
  }

  async function all(): Promise<void> {
    await add(about, Buffer.from(`${JSON.stringify({ version, agent })}\n`));
    // First: whatever it names is on the disk by now.
    const lines = (await within.read(log, mostBytes)) ?? Buffer.alloc(0);
    await add(log, lines.subarray(0, lines.lastIndexOf(10) + 1));
    await folder("");
    controller.finalize();
  }
  all().catch((error) => controller.error(error));
  return readable.pipeThrough(new CompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>);
}

/** Returns the agent's id. `taken` says whether the home has one of that name. */
export async function unpack(
  { home, world, limits }: BundleOptions & { limits: Limits },
  bundle: ReadableStream<Uint8Array>,
  taken: (agent: string) => boolean,
): Promise<string> {
  const staging = join(home, `import-${world.random.hex(8)}`);
  try {
    const agent = await spread(world, staging, bundle);
    if (taken(agent))
      throw new Problem(
        "name_taken",
        `there is an agent ${agent} in this home; archive or move it, or use another home`,
      );
    await verify({ home: staging, world, limits }, agent);
    const root = agentRoot(home, agent);
    await onDisk("store", root, async () => {
      await world.files.makeDir(join(home, "agents"));
      if (await world.files.stat(root))
        throw new Problem("name_taken", `there is a folder of an agent ${agent} in this home`);
      await world.files.move(agentRoot(staging, agent), root);
    });
    return agent;
  } finally {
    // What cannot be removed now is at the next start; the agent is here all the same.
    await world.files.remove(staging).catch(() => undefined);
  }
}

/** Writes every entry below staging/agents/NAME. */
async function spread(world: World, staging: string, bundle: ReadableStream<Uint8Array>): Promise<string> {
  let agent: string | undefined;
  let [files, bytes] = [0, 0];
  let within = world.files.within(staging);
  const frozen: string[] = [];
  try {
    const plain = bundle.pipeThrough(new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>);
    for await (const { header, body } of plain.pipeThrough(createTarDecoder())) {
      if (header.type === "directory") {
        await body.cancel();
        continue;
      }
      assertPlain(header);
      files++;
      bytes += header.size;
      if (files > mostFiles || bytes > mostBytes)
        throw new Problem("too_large", `a bundle has at most ${mostFiles} files and ${mostBytes} bytes`);
      const content = new Uint8Array(await new Response(body).arrayBuffer());
      if (agent === undefined) {
        agent = agentIn(header.name, content);
        const root = agentRoot(staging, agent);
        await onDisk("store", root, () => world.files.makeDir(root));
        within = world.files.within(root);
        continue;
      }
      // Whoever is told that it is here may lose the power the next moment; the other home may have removed it by then.
      await onDisk("store", header.name, () => within.write(header.name, content));
      if (/(^|\/)published(-\d+)?\//.test(header.name)) frozen.push(join(agentRoot(staging, agent), header.name));
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(
      "invalid",
      `this is no bundle of an agent, or it is cut off: ${String((error as Error).message)}`,
    );
  }
  if (agent === undefined) throw new Problem("invalid", "this is no bundle of an agent: it is empty");
  for (const path of frozen) await onDisk("store", path, () => world.files.freeze(path));
  return agent;
}

function assertPlain({ name, type = "file" }: TarHeader): void {
  const steps = name.split("/");
  const escapes =
    name.startsWith("/") ||
    name.includes("\\") ||
    name.includes("\0") ||
    steps.some((step) => !step || step === "." || step === "..");
  if (type !== "file" || escapes)
    throw new Problem(
      "path_escapes",
      `the bundle holds ${JSON.stringify(name)} (${type}); only files below the agent's folder are taken`,
    );
}

function agentIn(name: string, content: Uint8Array): string {
  const said = name === about ? (JSON.parse(Buffer.from(content).toString()) as Record<string, unknown>) : {};
  if (typeof said.version === "number" && said.version > version)
    throw new Problem(
      "newer_version",
      `the bundle has version ${said.version}; this agiraph understands up to ${version}`,
    );
  const agent = AgentId.safeParse(said.agent);
  if (!agent.success) throw new Problem("invalid", "this is no bundle of an agent: it does not say whose it is");
  return agent.data;
}

/** Reads all of its log, and writes into it that the agent was moved, if that changes something, and is paused. */
async function verify({ home, world, limits }: BundleOptions & { limits: Limits }, agent: string): Promise<void> {
  const store = createFilesStore({ home, files: world.files });
  try {
    const opened = await store.open(agent, { fence: 1 });
    const state = emptyState();
    for await (const events of opened.read(0)) for (const event of events) reduce(state, event);
    if (state.agent?.id !== agent)
      throw new Problem("invalid", `the bundle says it is ${agent}; its log says ${state.agent?.id ?? "nothing"}`);
    const context = { now: world.clock.now(), actor: "human", limits };
    // A bundle does not choose what is read of the machine it comes to.
    if (state.agent.folder !== undefined) {
      const moved = stamp(state, { type: "agent.moved", data: {} }, context);
      await opened.append([moved]);
      reduce(state, moved);
    }
    if (state.agent.status === "active") {
      const reason = {
        code: "human",
        message: "it came from another home; look at it, then let it go on",
        next_mover: "human",
      };
      const [fact] = decide(state, { type: "agent.pause", reason }, context);
      if (fact) await opened.append([stamp(state, fact, context)]);
    }
    await opened.close();
  } finally {
    await store.close();
  }
}

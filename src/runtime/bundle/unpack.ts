/**
 * Writes the files of a bundle below a folder of their own, as they come: no file is ever held whole, and nothing in it is believed.
 *
 * Refused, with nothing held: names that lead out, links and devices, a name twice, what is too many, too large, or grows out of all proportion
 * to what was sent (a bomb), a log with a line without end. Left out: what is made from the log again; a state that comes along would be believed.
 */
import { dirname, join } from "node:path";
import { createTarDecoder, type TarHeader } from "modern-tar";
import { agentRoot } from "../../home/layout.ts";
import type { World } from "../../lib/world.ts";
import { onDisk } from "../../schema/disk-error.ts";
import { AgentId } from "../../schema/ids.ts";
import { Problem } from "../../schema/problem.ts";

export const manifestName = "agiraph.json";
export const bundledLog = "events.jsonl";
export const bundleVersion = 1;
export const mostBytes = 8 * 2 ** 30;
/** Made from the log again when it is missing. */
export const derivedFile = /^(snapshot\.json|.*\.draft-.*)$/;
export const mostFiles = 400_000;
const mostAbout = 64 * 1024;
const longestLine = 32 * 2 ** 20;
/** Text becomes a tenth or a twentieth; what becomes less than this is no agent's, once it is more than a little. */
const mostGrowth = 200;
const little = 32 * 2 ** 20;

/** Below staging/agents/NAME. Returns the agent's id. */
export async function unpackBundle(world: World, staging: string, bundle: ReadableStream<Uint8Array>): Promise<string> {
  let agent: string | undefined;
  const names = new Set<string>();
  const frozen: string[] = [];
  let bytes = 0;
  try {
    for await (const { header, body } of entriesOf(bundle)) {
      if (header.type === "directory") {
        await body.cancel();
        continue;
      }
      assertPlain(header);
      bytes += header.size;
      if (names.size >= mostFiles || bytes > mostBytes)
        throw new Problem("too_large", `a bundle has at most ${mostFiles} files and ${mostBytes} bytes`);
      if (agent === undefined) {
        agent = agentIn(header.name, await small(body));
        const root = agentRoot(staging, agent);
        await onDisk("store", root, () => world.files.makeDir(root));
        continue;
      }
      const { name } = header;
      if (derivedFile.test(name.split("/").at(-1)!)) {
        for await (const _chunk of body); // cancelled, the decoder would wait for it
        continue;
      }
      if (names.has(name)) throw new Problem("invalid", `the bundle contains ${JSON.stringify(name)} twice`);
      names.add(name);
      const path = join(agentRoot(staging, agent), name);
      await write(world, path, name, body);
      if (/(^|\/)published(-\d+)?\//.test(name)) frozen.push(path);
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    const { message, cause } = error as Error;
    const why = message || (cause instanceof Error ? cause.message : "it cannot be unpacked");
    throw new Problem("invalid", `this is not an exported agent, or it is truncated: ${why}`);
  }
  if (agent === undefined) throw new Problem("invalid", "this is not an exported agent: it is empty");
  if (!names.has(bundledLog)) throw new Problem("invalid", "this is not an exported agent: it has no log");
  for (const path of frozen) await onDisk("store", path, () => world.files.freeze(path));
  return agent;
}

interface Entry {
  header: TarHeader;
  body: ReadableStream<Uint8Array>;
}

function entriesOf(bundle: ReadableStream<Uint8Array>): AsyncIterable<Entry> {
  let [sent, grown] = [0, 0];
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      sent += chunk.length;
      controller.enqueue(chunk);
    },
  });
  const watching = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      grown += chunk.length;
      if (grown > little && grown > sent * mostGrowth)
        throw new Problem("too_large", `the bundle unpacks to more than ${mostGrowth} times its size`);
      controller.enqueue(chunk);
    },
  });
  return bundle
    .pipeThrough(counting)
    .pipeThrough(new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>)
    .pipeThrough(watching)
    .pipeThrough(createTarDecoder()) as unknown as AsyncIterable<Entry>;
}

/** Durable on return: whoever is told that it is here may lose the power the next moment; the other home may have removed it by then. */
async function write({ files }: World, path: string, name: string, body: ReadableStream<Uint8Array>): Promise<void> {
  const refused = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (/^(ENOTDIR|EISDIR|EEXIST|ENAMETOOLONG|EINVAL)$/.test(code))
        throw new Problem(
          "invalid",
          `the bundle contains ${JSON.stringify(name)}, which is not a valid file name here`,
        );
      throw error;
    }
  };
  await onDisk("store", name, () => refused(() => files.makeDir(dirname(path))));
  const file = await onDisk("store", name, () => refused(() => files.open(path)));
  let line = 0;
  try {
    for await (const chunk of body) {
      if (name === bundledLog) {
        const end = chunk.lastIndexOf(10);
        line = end < 0 ? line + chunk.length : chunk.length - end;
        if (line > longestLine) throw new Problem("invalid", "the log of the bundle has a line that is too long");
      }
      await onDisk("store", name, () => file.append(chunk));
    }
    await onDisk("store", name, () => file.sync());
  } finally {
    await file.close();
  }
}

async function small(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostAbout) throw new Problem("invalid", `this is not an exported agent: ${manifestName} is too large`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
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
      `the bundle contains ${JSON.stringify(name)} (${type}); only files in the agent's folder are allowed`,
    );
}

function agentIn(name: string, content: string): string {
  const said = name === manifestName ? ((JSON.parse(content) ?? {}) as Record<string, unknown>) : {};
  if (typeof said.version === "number" && said.version > bundleVersion)
    throw new Problem(
      "invalid",
      `the bundle has version ${said.version}; this Agiraph supports up to ${bundleVersion}`,
    );
  const agent = AgentId.safeParse(said.agent);
  if (!agent.success) throw new Problem("invalid", "this is not an exported agent: it names no agent");
  return agent.data;
}

/** Where the guard of a participant reads: the files of its agent, its run and its own folder. What is not there is an empty text. */

import { join } from "node:path";
import { workspaceOf } from "../../core/file/workspace.ts";
import type { State } from "../../core/state.ts";
import { earlierParts } from "../../guard/earlier.ts";
import type { Shelf } from "../../guard/guard.ts";
import type { Meaning } from "../../guard/meaning.ts";
import type { Part } from "../../guard/parts.ts";
import { channelParts, documentParts } from "../../guard/run-parts.ts";
import { goalOf, soulOf, specOf } from "../../guard/texts.ts";
import { agentRoot, nodeRoot, runRoot } from "../../home/layout.ts";
import { filesIn } from "../../lib/files/tree.ts";
import type { Files } from "../../lib/world.ts";
import type { Thinker } from "../../schema/worker.ts";
import { asData } from "../../toolkit/data.ts";
import { scratchOf } from "../../toolkit/scope.ts";

export interface ShelfOptions {
  home: string;
  files: Files;
  state(): State;
  me(): Thinker | undefined;
  /** What it knows from before. */
  memory(): Promise<string>;
  /** Of that, what was written after reading text from outside; it is data. Empty unless the run began tainted. */
  foreign?(): Promise<string>;
  /** What it can read up. */
  skills(): Promise<string>;
  /** Why the folder that the agent was given may not be read; empty if it may. */
  withheld: string;
  /** What was decided so far is in the files that are made from the log. */
  written(): Promise<void>;
  /** The content with this hash, if it is there. */
  blob(sha256: string): Promise<Uint8Array | null>;
  /** What is near to a task; missing: it is not compared. */
  meaning?: Meaning | undefined;
}

/** Characters of what others published that are shown without being asked for. */
const mostOfRefs = 12_000;

const mostOfNotes = 6_000;

/** Of a file that people or models wrote; more than this is no instruction any more. */
const longest = 60_000;

export function createShelf(options: ShelfOptions): Shelf {
  const { home, files, state, me, memory, foreign, skills, withheld, written, blob, meaning } = options;
  const agent = () => state().agent!.id;
  const run = () => state().run!.id;

  async function text(path: string): Promise<string> {
    return asText((await files.stat(path))?.kind === "file" ? await files.read(path) : null);
  }

  function asText(found: Uint8Array | null): string {
    const whole = found === null ? "" : Buffer.from(found).toString().toWellFormed();
    if (whole.length <= longest) return whole;
    return `${whole.slice(0, longest).toWellFormed()}\n[… ${whole.length - longest} characters left out …]`;
  }

  const tree = (folder: string): Promise<string[]> => filesIn((path) => files.list(join(folder, path), 201), 201);

  /** Of the node that this one stands in for, or of its own first attempt. */
  async function triedBefore(id: string): Promise<string> {
    const node = state().nodes.get(id);
    const earlier = node?.retry_of ?? (node?.retries ? id : undefined);
    if (earlier === undefined) return "";
    await written();
    const notes = await text(join(nodeRoot(home, agent(), run(), earlier), "failure_notes.md"));
    const old = state().nodes.get(earlier);
    const why = old && "reason" in old ? old.reason.message : old && "summary" in old ? old.summary : "";
    if (!notes && !why) return "";
    const shown = notes.length > mostOfNotes ? `${notes.slice(0, mostOfNotes).toWellFormed()}\n[…]` : notes;
    const files = earlier === id ? "" : ` Its files are in nodes/${earlier}/scratch; copy what is good.`;
    return `# What was tried before (${earlier})\nDo not repeat what failed.${files}\n${asData({ from: `${earlier}/failure_notes.md`, text: shown || why, exact: true })}`;
  }

  /** What nodes published, by name: as much as fits, and how to read the rest. */
  async function published(
    sources: readonly (readonly [name: string, target: string])[],
    reader: string,
  ): Promise<string> {
    let left = mostOfRefs;
    const shown: string[] = [];
    for (const [name, target] of sources) {
      const [source = "", ...steps] = target.split("/");
      const root = join(nodeRoot(home, agent(), run(), source), "published");
      const paths = steps.length ? [steps.join("/")] : (await tree(root)).filter((path) => path !== "manifest.json");
      for (const path of paths) {
        const whole = await text(join(root, path));
        const fits = whole.length <= left && !whole.includes("\0");
        if (fits) left -= whole.length;
        shown.push(
          fits
            ? asData({ from: `${source}/${path}`, text: whole, exact: true })
            : `${name}: ${source}/${path}, ${whole.length} characters; ${reader} reads it`,
        );
      }
    }
    return shown.join("\n\n");
  }

  return {
    withheld,
    soul: async () => (await text(join(agentRoot(home, agent()), "SOUL.md"))) || soulOf(state().agent!),
    goal: async () => (await text(join(agentRoot(home, agent()), "GOAL.md"))) || goalOf(state().agent!.goal),
    async spec(id) {
      const node = state().nodes.get(id);
      const spec = (await text(join(nodeRoot(home, agent(), run(), id), "_spec.md"))) || (node ? specOf(node) : "");
      const before = await triedBefore(id);
      return before ? `${spec}\n\n${before}` : spec;
    },
    refs: (node) => published(Object.entries(state().nodes.get(node)?.refs ?? {}), "read_ref"),
    outputs(stage) {
      const done = [...state().nodes.values()].filter((node) => node.stage === stage && node.status === "completed");
      return published(
        done.map(({ id }) => [id, id]),
        "read_file of published/NODE/FILE",
      );
    },
    skills,
    async parts() {
      const one = me();
      const earlier = [...foreignMemory((await foreign?.()) ?? ""), ...earlierParts(state(), one)];
      if (!one || !state().run) return earlier;
      // Not its file: that is written after the log, so it may lag behind the version that is shown here.
      const documents = documentParts(state(), one, async ({ sha256 }) => asText(await blob(sha256)), meaning);
      const said = channelParts(state(), one, meaning);
      return [...earlier, ...(await documents), ...(await said)];
    },
    async memory() {
      const one = me();
      const given = one && "memory" in one ? one.memory : undefined;
      return [given ?? "", await memory()].filter(Boolean).join("\n\n");
    },
    async files() {
      const one = me();
      // A checkout has the user's files too; git status tells its own.
      if (!one || state().workspaces.has(workspaceOf(state(), one) ?? "")) return "";
      const paths = await tree(join(runRoot(home, agent(), run()), scratchOf(one)));
      return paths.map((path) => `- ${path}`).join("\n");
    },
  };
}

const foreignMemory = (text: string): Part[] =>
  text
    ? [
        {
          ...{ name: "memory", value: "task", source: "memory/", why: "the run began tainted anyway", score: 1.8 },
          ...{ title: "Notes that you wrote after reading text from outside", isData: true, text },
          brief: "You have notes that you wrote after reading text from outside: `memory_search` finds them.",
        },
      ]
    : [];

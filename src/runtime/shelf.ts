/** Where the guard of a participant reads: the files of its agent, its run and its own folder. What is not there is an empty text. */
import { join } from "node:path";
import type { State } from "../core/state.ts";
import type { Shelf } from "../guard/guard.ts";
import type { Files } from "../lib/world.ts";
import type { Node } from "../schema/node.ts";
import type { Thinker } from "../schema/worker.ts";
import { agentRoot, nodeRoot, runRoot } from "../store/layout.ts";
import { asData } from "../tool/data.ts";

export interface ShelfOptions {
  home: string;
  files: Files;
  state(): State;
  me(): Thinker | undefined;
  /** What it knows from before. */
  memory(): Promise<string>;
}

/** Characters of what others published that are shown without being asked for. */
const mostOfRefs = 12_000;

/** Of a file that people or models wrote; more than this is no instruction any more. */
const longest = 60_000;

/** What an agent is until somebody says more. */
export const firstSoul = (name: string): string =>
  `# ${name}\n\nA careful colleague: says what it knows, asks when it matters, and finishes what it begins.\n`;

/** Below the agent's folder. */
export const specPath = (run: string, node: string): string => `runs/${run}/nodes/${node}/_spec.md`;

/** What a node's worker is told until somebody edits it. */
export function firstSpec({ name, task, acceptance }: Pick<Node, "name" | "task" | "acceptance">): string {
  return `# ${name}\n\n${task}${acceptance ? `\n\n## Done means\n\n${acceptance}` : ""}\n`;
}

export function createShelf({ home, files, state, me, memory }: ShelfOptions): Shelf {
  const agent = () => state().agent!.id;
  const run = () => state().run!.id;

  async function text(path: string): Promise<string> {
    const found = (await files.stat(path))?.kind === "file" ? await files.read(path) : null;
    const whole = found?.toString().toWellFormed() ?? "";
    if (whole.length <= longest) return whole;
    return `${whole.slice(0, longest).toWellFormed()}\n[… ${whole.length - longest} characters left out …]`;
  }

  async function tree(folder: string, path = ""): Promise<string[]> {
    const found: string[] = [];
    for (const { name, kind } of await files.list(join(folder, path))) {
      const inner = path ? `${path}/${name}` : name;
      if (kind === "folder") found.push(...(await tree(folder, inner)));
      else if (kind === "file") found.push(inner);
      if (found.length > 200) break;
    }
    return found;
  }

  return {
    async soul() {
      const written = await text(join(agentRoot(home, agent()), "SOUL.md"));
      // A new agent thinks before its files are there; what it is shown must not change when they come.
      return written || state().files.has("SOUL.md") ? written : firstSoul(agent());
    },
    goal: () => text(join(agentRoot(home, agent()), "GOAL.md")),
    async spec(id) {
      const written = await text(join(nodeRoot(home, agent(), run(), id), "_spec.md"));
      const node = state().nodes.get(id);
      return written || !node || state().files.has(specPath(run(), id)) ? written : firstSpec(node);
    },
    async refs(node) {
      let left = mostOfRefs;
      const shown: string[] = [];
      for (const [name, target] of Object.entries(state().nodes.get(node)?.refs ?? {})) {
        const [source = "", ...steps] = target.split("/");
        const root = join(nodeRoot(home, agent(), run(), source), "published");
        const paths = steps.length ? [steps.join("/")] : (await tree(root)).filter((path) => path !== "manifest.json");
        for (const path of paths) {
          const whole = await text(join(root, path));
          const fits = whole.length <= left && !whole.includes("\0");
          if (fits) left -= whole.length;
          shown.push(
            fits
              ? asData(`${source}/${path}`, whole)
              : `${name}: ${source}/${path}, ${whole.length} characters; read_ref reads it`,
          );
        }
      }
      return shown.join("\n\n");
    },
    skills: async () => "",
    async memory() {
      const one = me();
      const given = one && "memory" in one ? one.memory : undefined;
      return [given ?? "", await memory()].filter(Boolean).join("\n\n");
    },
    async files() {
      const node = me()?.node;
      const root = node ? nodeRoot(home, agent(), run(), node) : runRoot(home, agent(), run());
      const paths = await tree(join(root, "scratch"));
      return paths.map((path) => `- ${path}`).join("\n");
    },
  };
}

/**
 * Whose folder an agent works on. Takes what was merged now and then, as a merge into the folder or as a patch, and changes a file there by hand.
 *
 * At the end the log and the blobs must say where everything in the folder comes from: nothing is changed there but by a hand-over (project), and
 * what was merged has every change of its sides and nothing else (merged).
 */
import { createHash } from "node:crypto";
import type { Line } from "../history.ts";
import { loadVersion, type Tree } from "../saved.ts";
import type { Actor, Company, Evidence } from "./company.ts";

export const projectOf = (agent: string): string => `/projects/${agent}`;

const names = ["f0.md", "f1.md", "f2.md", "notes/own.md"];
const hashOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

export function createCustomer(company: Company, agents: readonly string[]): Actor {
  const { sim, setup, fleet, witness } = company;
  const dice = company.dice("customer");
  /** By path of a file: the hash of each text that the customer gave it; null for none. */
  const own = new Map<string, (string | null)[]>();

  function put(path: string, text: string | null): void {
    sim.disk.put(path, text);
    own.set(path, [...(own.get(path) ?? [null]), text === null ? null : hashOf(text)]);
  }

  async function take(agent: string): Promise<void> {
    const wish = dice.chance(0.7) ? { as: "merge" as const } : { as: "patch" as const, name: "all.patch" };
    try {
      await company.ask(fleet.owner(agent)?.up(), async (runtime) =>
        (await runtime.reading(agent)).checkouts.handOver(wish),
      );
      witness.count(`taken as ${wish.as}`);
    } catch (error) {
      witness.tell(agent, `take: ${String(error)}`);
    }
  }

  if (setup.project)
    for (const agent of agents)
      for (const name of names) if (dice.chance(0.7)) put(`${projectOf(agent)}/${name}`, `given ${name}\n`);

  return {
    meet(agent) {
      if (!setup.project) return;
      for (let n = dice.int(4); n > 0; n--) sim.time.after(dice.int(2 * setup.chaosMs), () => void take(agent));
      const path = `${projectOf(agent)}/${dice.pick(names)}`;
      const text = dice.chance(0.8) ? `by hand ${dice.int(9)}\n` : null;
      if (dice.chance(0.3)) sim.time.after(dice.int(setup.chaosMs), () => put(path, text));
    },
    async judge(agent, { lines, disk }) {
      if (!setup.project) return;
      const violated = (invariant: string, what: string) => witness.violated(invariant, `${agent}: ${what}`);
      const load = (version: string) => loadVersion((sha256) => fleet.blob(agent, sha256), version);
      // A missing version is reported by whoever checks them all.
      const trees = await merges(lines, load, violated).catch(() => undefined);
      if (trees) checkProject(agent, trees, disk);
    },
  };

  function checkProject(agent: string, merged: readonly Tree[], disk: Evidence["disk"]): void {
    const root = `${projectOf(agent)}/`;
    const there = disk.paths().filter((path) => path.startsWith(root));
    for (const path of new Set([...there, ...[...own.keys()].filter((path) => path.startsWith(root))])) {
      if (/(^|\/)\.[^/]+\.tmp$/.test(path)) continue;
      const content = disk.peek(path);
      const now = content === null ? null : hashOf(content);
      const given = own.get(path) ?? [null];
      if (given.includes(now) || merged.some((tree) => (tree.get(path.slice(root.length)) ?? null) === now)) continue;
      witness.violated("project", `${agent}: ${path} has what neither the customer wrote nor anybody merged`);
    }
  }
}

/** The integration branch after each merge of the log. */
async function merges(
  lines: readonly Line[],
  load: (version: string) => Promise<Tree>,
  violated: (invariant: string, what: string) => void,
): Promise<Tree[]> {
  const all: Tree[] = [];
  const opened = new Map<string, { from: string; isMerge: boolean }>();
  let integration: string | undefined;
  for (const { type, data, seq } of lines) {
    if (type === "run.started") opened.clear();
    if (type === "workspace.based") integration = String(data.base);
    if (type === "workspace.opened")
      opened.set(String(data.workspace), { from: String(data.from), isMerge: data.merging !== undefined });
    if (type !== "workspace.merged") continue;
    const [before, theirs, after] = await Promise.all(
      [integration!, String(data.commit), String(data.integration)].map(load),
    );
    integration = String(data.integration);
    all.push(after!);
    const start = opened.get(String(data.workspace));
    if (!start) violated("merged", `${String(data.workspace)} was merged and never opened, event ${seq}`);
    if (!start || start.isMerge) continue;
    const from = await load(start.from);
    for (const path of new Set([...before!.keys(), ...theirs!.keys(), ...after!.keys()])) {
      const wanted = theirs!.get(path) === from.get(path) ? before!.get(path) : theirs!.get(path);
      if (after!.get(path) !== wanted)
        violated("merged", `${path} is not what the sides made of it after event ${seq} (${String(data.workspace)})`);
    }
  }
  return all;
}

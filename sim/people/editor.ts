/**
 * Writes the files that belong to people, as the page does: reads one, changes it, and says which version it replaces. Several do so at once.
 *
 * At the end every acknowledged write is the file itself or a version that the log names and whose text is kept; it replaced the version
 * that its writer had read (edit). A note of the memory has no versions: there the last acknowledged text, or a later attempt, is the file.
 */
import { createHash } from "node:crypto";
import type { Tree } from "../../src/runtime/workspace/file-reader.ts";
import { Problem } from "../../src/schema/problem.ts";
import { home } from "../host.ts";
import type { Actor, Company, Evidence } from "./company.ts";

interface Edit {
  /** In the agent's home. */
  place: string;
  text: string;
  sha256: string;
  replaces: string | undefined;
  acked: boolean;
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

export function createEditor(company: Company): Actor {
  const { sim, setup, fleet, witness } = company;
  const dice = company.dice("editor");
  const edits = new Map<string, Edit[]>();
  let count = 0;

  async function edit(agent: string): Promise<void> {
    const tree: Tree = dice.chance(0.5) ? { of: "memory" } : { of: "workspace" };
    const path =
      tree.of === "memory"
        ? dice.pick(["SOUL.md", "GOAL.md", "GOAL.md", `memory/knowledge/of-people-${dice.int(2)}.md`])
        : dice.pick(["documents/notes.md", "documents/plan.md", `nodes/n${1 + dice.int(4)}-x/_spec.md`]);
    const [habit, chars] = [dice.next(), dice.int(20)];
    const up = fleet.owner(agent)?.up();
    try {
      const known = await company.ask(up, async (runtime) => {
        const { files } = await runtime.reading(agent);
        const { run } = await runtime.read(agent, (state) => ({ run: state.run?.id }));
        const found = await files.look(tree, path).catch((problem) => {
          if (problem instanceof Problem && problem.code === "not_found") return undefined;
          throw problem;
        });
        return { run, sha256: found?.kind === "file" ? found.sha256 : undefined };
      });
      if (tree.of === "workspace" && known.run === undefined) return; // it is still being prepared
      await sim.time.sleep(1 + dice.int(300));
      const text = `edit ${++count} of ${path} ${"x".repeat(chars)}\n`;
      const replaces = habit < 0.1 ? "*" : habit < 0.15 ? undefined : known.sha256;
      const place = tree.of === "memory" ? path : `runs/${known.run}/${path}`;
      const one: Edit = { place, text, sha256: hash(text), replaces, acked: false };
      edits.set(agent, [...(edits.get(agent) ?? []), one]);
      await company.ask(fleet.owner(agent)?.up(), async (runtime) => {
        const { owned } = await runtime.reading(agent);
        // In the run that was read, or it is refused.
        const where = tree.of === "memory" ? tree : { ...tree, run: known.run };
        return await owned.write(where, path, text, replaces);
      });
      one.acked = true;
      witness.count("edited");
    } catch (error) {
      if (error instanceof Problem && error.code === "conflict") witness.count("edit conflict");
      witness.tell(agent, `edit ${path}: ${String(error)}`);
    }
  }

  return {
    meet(agent) {
      // The files lie on the disk of the host that owned the agent.
      if (fleet.hosts.length > 1) return;
      for (let n = 0; n < setup.writes; n++) sim.time.after(dice.int(setup.chaosMs), () => void edit(agent));
    },
    judge(agent, evidence) {
      const mine = edits.get(agent) ?? [];
      for (const [at, one] of mine.entries()) {
        if (!one.acked) continue;
        if (/^memory\//.test(one.place)) checkNote(agent, one, mine.slice(at + 1), evidence);
        else checkVersion(agent, one, evidence);
      }
    },
  };

  function checkNote(agent: string, { place, text }: Edit, later: Edit[], { disk }: Evidence): void {
    const content = disk.peek(`${home}/agents/${agent}/${place}`)?.toString();
    if (content === text || later.some((other) => other.place === place && other.text === content)) return;
    witness.violated("edit", `${agent}: ${place} was written (${text.trim()}) and is now ${content ?? "gone"}`);
  }

  function checkVersion(agent: string, { place, text, sha256, replaces }: Edit, { lines, disk }: Evidence): void {
    const what = `${agent}: ${place} was written (${text.trim()})`;
    const versions = lines.flatMap(({ type, run, data }) => {
      const path = type === "document.written" ? `runs/${run}/documents/${data.document}` : data.path;
      const isVersion = type === "document.written" || type === "file.written" || type === "file.edited";
      return isVersion && path === place ? [data.sha256 as string | null] : [];
    });
    const at = versions.indexOf(sha256);
    if (at < 0) {
      witness.violated("edit", `${what}, and the log does not know it`);
      return;
    }
    const kept = disk.peek(`${home}/agents/${agent}/blobs/${sha256}`)?.toString();
    if (kept !== text && disk.peek(`${home}/agents/${agent}/${place}`)?.toString() !== text)
      witness.violated("edit", `${what}, and its text ${kept === undefined ? "is not kept" : "changed"}`);
    if (replaces !== undefined && replaces !== "*" && at > 0 && versions[at - 1] !== replaces)
      witness.violated("edit", `${what} over a version that its writer had not read`);
  }
}

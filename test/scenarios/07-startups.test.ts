/** Seed 000, test 7: ten companies, one after the other, with less room than that takes. What goes out of sight is not lost. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { done, of, runRoot, tree } from "./log.ts";
import { type Cast, call, calls, type Sight } from "./model.ts";
import { play } from "./play.ts";
import { happened } from "./stage.ts";
import type { Answer } from "./wire.ts";

const names = ["Aster", "Borea", "Cirro", "Delphi", "Ember", "Fjord", "Gale", "Halo", "Iris", "Juno"];
const raised = (at: number) => 100 + 7 * at;
const filler = "It works on models, sells to banks and hospitals, and says little about its plans. ".repeat(100);

/** It knows what it has done only from what it is shown: its own files after the conversation was shortened, its calls before. */
function analyst({ url }: { url: string }, sight: Sight): Answer {
  const written = new Set([...sight.system.matchAll(/^- (\w+)\.md$/gm)].map(([, name]) => name!));
  for (const line of sight.lines)
    if (line.by === "me")
      for (const { tool, input } of line.calls)
        if (tool === "write_file") written.add(String(input.path).replace(".md", ""));
  const have = names.filter((name) => written.has(name.toLowerCase()));
  const open = names.filter((name) => !have.includes(name));
  const last = sight.lines.findLast((line) => line.by === "tool");
  const fetched = last?.tool === "web_fetch" ? /(\w+) raised (\d+) million/.exec(last.text) : null;
  if (sight.all.includes("Your context is nearly full")) {
    // What was just read goes into its file too, or it would have to be read again.
    const keep = fetched && !written.has(fetched[1]!.toLowerCase()) ? [note(fetched)] : [];
    const content = `# Startups\n\nDone: ${[...have, ...(keep.length ? [fetched![1]] : [])].join(", ")}\n`;
    return calls(...keep, call("memory_write", { path: "knowledge/startups.md", content }));
  }
  if (fetched && open.includes(fetched[1]!)) return calls(note(fetched));
  if (open.length) return calls(call("web_fetch", { url: `${url}/article/${open[0]!.toLowerCase()}` }));
  if (last?.tool !== "read_file")
    return calls(...names.map((name) => call("read_file", { path: `${name.toLowerCase()}.md` })));
  const read = sight.lines.flatMap((line) =>
    line.by === "tool" && line.tool === "read_file" ? [line.text.trim()] : [],
  );
  return calls(call("finish", { summary: read.join("\n") }));
}

const note = ([, name, millions]: RegExpExecArray) =>
  call("write_file", { path: `${name!.toLowerCase()}.md`, content: `${name}: ${millions} million\n` });

play({
  number: 7,
  title: "ten companies are covered although not all of it fits into the window",
  setting: {
    articles: Object.fromEntries(
      names.map((name, at) => [name.toLowerCase(), `${name} raised ${raised(at)} million dollars. ${filler}`]),
    ),
    cast: (web): Cast => ({ coordinator: (sight) => analyst(web, sight) }),
  },
  check(stage) {
    const all = stage.events();
    expect(of(all, "context.shortened").length).toBeGreaterThan(0);
    const { answer, published } = stage.outcome();
    const lines = names.map((name, at) => `${name}: ${raised(at)} million`);
    expect(answer).toBe(`${lines.join("\n")}\n`);
    for (const [at, name] of names.entries())
      expect(published[`published/${name.toLowerCase()}.md`]).toBe(`${lines[at]}\n`);
    // It did not lose track: each was looked up once.
    expect(stage.web.hits).toEqual(names.map((name) => `/article/${name.toLowerCase()}`));
    expect(tree(join(stage.home, "agents", stage.agent, "memory"))["knowledge/startups.md"]).toContain(
      "Done: Aster, Borea",
    );
    expect(existsSync(join(runRoot(stage.home, stage.agent), "workers/coordinator/conversation-1.jsonl"))).toBe(true);
    // After it, the model is shown less than before.
    const sizes = stage.team.asked.map(({ tokens }) => tokens);
    const flush = stage.team.asked.findIndex((one) => one.all.includes("Your context is nearly full"));
    expect(sizes[flush + 1]).toBeLessThan(sizes[flush]!);
    expect(Math.max(...sizes)).toBeLessThan(32_000);
    expect(done(all).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  },
  killed: {
    title: "killed while it writes down what must survive and right after it was shortened, it loses nothing",
    moments: () => [happened("context.filled"), happened("context.shortened")],
  },
});

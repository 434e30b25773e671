/**
 * The soul of an agent as people govern it: its text, its versions, a change that is accepted, an old version that is restored.
 *
 * Always holds: SOUL.md is written before the acceptance is recorded; a crash in between leaves the line in the file and the proposal open, and
 * accepting it again adds nothing. A change is made of the text that is there now; if somebody writes it meanwhile, it is tried again. Every version
 * can be read again. Only people and their rules come here: no tool does.
 */
import { requireOpen, soulPath } from "../../core/agent/soul.ts";
import { soulOf } from "../../guard/texts.ts";
import { type DiffLine, diffLines } from "../../lib/text/diff-lines.ts";
import { Problem } from "../../schema/problem.ts";
import type { Live } from "../live.ts";
import type { ShownFiles } from "./file-reader.ts";
import type { OwnedFiles } from "./file-writer.ts";
import { sha256 } from "./publish.ts";
import type { Version, Versions } from "./versions.ts";

export interface SoulFile {
  /** The text, as it is on disk. */
  read(): Promise<{ text: string; sha256: string | null }>;
  /** Newest first. */
  versions(): Promise<Version[]>;
  /** What changed from one version to another; to what is there now if `to` is missing. */
  diff(from: number, to?: number): Promise<DiffLine[]>;
  accept(proposal: string, by: "human" | "rule", line?: string): Promise<void>;
  restore(seq: number): Promise<void>;
}

export interface SoulFileOptions {
  live: Live;
  files: ShownFiles;
  owned: OwnedFiles;
  versions: Versions;
}

const tree = { of: "memory" } as const;
const attempts = 5;

export function createSoulFile({ live, files, owned, versions }: SoulFileOptions): SoulFile {
  async function read(): Promise<{ text: string; sha256: string | null }> {
    const { within, path } = files.locate(tree, soulPath);
    const content = await within.read(path);
    if (!content) return { text: soulOf(live.state().agent!), sha256: null };
    return { text: String(content), sha256: sha256(content) };
  }

  async function write(change: (text: string) => string): Promise<void> {
    for (let nth = 1; ; nth++) {
      const { text, sha256: known } = await read();
      try {
        await owned.write(tree, soulPath, change(text), known ?? undefined);
        return;
      } catch (problem) {
        if (!(problem instanceof Problem && problem.code === "conflict") || nth === attempts) throw problem;
      }
    }
  }

  async function textAt(seq: number): Promise<string> {
    const version = await versions.read(seq);
    if (version.path !== soulPath) throw new Problem("not_found", `event ${seq} is not a version of the soul`);
    return String(version.content);
  }

  return {
    read,
    versions: () => versions.list(tree, soulPath),
    async diff(from, to) {
      return diffLines(await textAt(from), to === undefined ? (await read()).text : await textAt(to));
    },
    async accept(proposal, by, line) {
      const known = live.state().soulProposals.get(proposal);
      if (known?.status === "accepted") return;
      const text = line ?? requireOpen(live.state(), proposal).line;
      await write((soul) => addLine(soul, text));
      await live.dispatch(
        { type: "soul.accept", proposal, line: text, by },
        { actor: by === "human" ? "human" : "system" },
      );
    },
    async restore(seq) {
      const text = await textAt(seq);
      await write(() => text);
    },
  };
}

/** At the end of the list of such lines; a text that has it already stays as it is. */
function addLine(soul: string, line: string): string {
  const item = `- ${line.replace(/\s+/g, " ").trim()}`;
  const lines = soul.trimEnd().split("\n");
  if (lines.some((one) => one.trim() === item)) return soul;
  const isList = /^\s*[-*] /.test(lines.at(-1) ?? "");
  return `${[...lines, ...(isList ? [] : [""]), item].join("\n")}\n`;
}

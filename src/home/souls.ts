/**
 * Templates for the soul of a new agent: `NAME.md` in a folder. Read each time. Of two with the same name the one in the first folder counts.
 *
 * A template is only copied: an agent's own soul is its SOUL.md, which no template changes later.
 */
import { join } from "node:path";
import { shortLine } from "../lib/text/text.ts";
import type { Files } from "../lib/world.ts";
import { kit } from "../schema/kit.ts";

export interface SoulTemplate {
  name: string;
  from: "home" | "example";
  /** Its first sentence. */
  about: string;
  text: string;
}

export interface Souls {
  list(): Promise<SoulTemplate[]>;
}

const mostFiles = 100;
const ending = /\.md$/;

export function createSouls({
  files,
  folders,
}: {
  files: Files;
  folders: readonly { path: string; from: SoulTemplate["from"] }[];
}): Souls {
  return {
    async list() {
      const found = new Map<string, SoulTemplate>();
      for (const { path: folder, from } of folders) {
        const names = (await files.list(folder)).filter(({ name, kind }) => kind === "file" && ending.test(name));
        for (const { name: file } of names.slice(0, mostFiles)) {
          const name = file.replace(ending, "");
          const text = String((await files.read(join(folder, file))) ?? "");
          // One that no agent could be given is left out.
          if (!found.has(name) && kit.soul.safeParse(text).success)
            found.set(name, { name, from, about: firstOf(text), text });
        }
      }
      return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

const firstOf = (text: string): string =>
  shortLine(text.split("\n").find((line) => line.trim() && !/^[#>-]/.test(line)) ?? text, 120);

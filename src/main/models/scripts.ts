/**
 * Models that are played, not asked: `scripted/FILE` and `recorded/FILE`. Nobody outside of this process chooses what is read for one: a name counts only if code
 * gave a backend for it (the demo, tests), or if the process was started with AGIRAPH_SCRIPTS=FOLDER and it is a plain file in that folder.
 * A participant, the API, a config, a workflow, a log and a bundle can say any name; for all others nothing is looked at.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import type { Backend } from "../../backend/backend.ts";
import { createRecorded, parseRecording } from "../../backend/recorded.ts";
import { createScripted, parseScript } from "../../backend/scripted.ts";
import { commandRef } from "../../lib/command-line.ts";
import { machine } from "../../lib/machine/index.ts";
import { Problem } from "../../schema/problem.ts";

export interface Scripts {
  /** Nothing for a model that is asked. Throws `not_offered` for a script that may not be played, and says what may. */
  find(model: string): Backend | undefined;
}

/** What is played, by the beginning of its name. */
const kinds = {
  "scripted/": {
    most: 1_000_000,
    play: (text: string, path: string) => createScripted(parseScript(text, path), machine.clock),
  },
  "recorded/": {
    most: 100_000_000,
    play: (text: string, path: string) => createRecorded(parseRecording(text, path), `recorded/${path}`),
  },
};
type Prefix = keyof typeof kinds;
const prefixes = Object.keys(kinds) as Prefix[];

/** `folder` is the value of AGIRAPH_SCRIPTS. */
export function createScripts(given: Record<string, Backend>, folder: string | undefined): Scripts {
  const read = new Map<string, Backend>();
  return {
    find(model) {
      if (Object.hasOwn(given, model)) return given[model];
      const prefix = prefixes.find((each) => model.startsWith(each));
      if (!prefix) return undefined;
      const path = model.slice(prefix.length);
      if (!folder || !isAbsolute(path) || dirname(resolve(path)) !== resolve(folder))
        throw new Problem("not_offered", `model ${model} is not available: ${allowed(given, folder)}`);
      const { most, play } = kinds[prefix];
      const known = read.get(model) ?? play(contentOf(path, folder, most), path);
      read.set(model, known);
      return known;
    },
  };
}

function allowed(given: Record<string, Backend>, folder: string | undefined): string {
  const names = [
    ...Object.keys(given),
    ...(folder
      ? [`${prefixes.map((prefix) => `${prefix}FILE`).join(" or ")} for a file in ${folder} (AGIRAPH_SCRIPTS)`]
      : []),
  ];
  const played = names.length ? `the scripts here are ${names.join(" or ")}` : "there are no scripts here";
  return `${played}. Name a model as provider/model; ${commandRef("doctor")} shows which are available`;
}

/** Neither a link nor something that never ends or blocks, such as a FIFO, is read. */
function contentOf(path: string, folder: string, mostBytes: number): string {
  let file: number | undefined;
  try {
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    if (dirname(realpathSync(path)) !== realpathSync(folder)) throw new Error("it is a link");
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Problem("not_offered", `${path} cannot be read: ${(error as Error).message}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

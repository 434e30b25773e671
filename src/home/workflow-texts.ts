/**
 * The texts of workflow files, for people who edit them: one is read, checked and written. Those of the home can be written; an example is copied
 * there. A write says which version it replaces, or that there is none yet; if another one is there it is refused as a `conflict`.
 * Always holds: writes of this process follow each other, so that of two with the same version one is refused.
 */
import { hash } from "node:crypto";
import { join } from "node:path";
import type { Files } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { parseWorkflow, type Usable } from "./workflow-file.ts";
import { type From, mostBytes } from "./workflows.ts";

export interface WorkflowFile {
  name: string;
  from: From;
  path: string;
  text: string;
  sha256: string;
}

export interface FileProblem {
  /** Null if it is about the whole file. */
  line: number | null;
  column: number | null;
  message: string;
}

export interface WorkflowTexts {
  /** Throws `not_found`. */
  read(name: string): Promise<WorkflowFile>;
  /** `replaces`: the hash of the version; undefined: there is none. Throws `conflict`, `forbidden` or `too_large`. */
  write(name: string, text: string, replaces: string | undefined): Promise<WorkflowFile>;
  /** Never throws: what is wrong is the answer. */
  check(text: string, name: string): { usable: Usable } | { problems: FileProblem[] };
}

export interface TextsOptions {
  files: Files;
  folders: readonly { path: string; from: From }[];
}

export function createWorkflowTexts({ files, folders }: TextsOptions): WorkflowTexts {
  async function look(name: string): Promise<WorkflowFile | undefined> {
    for (const { path: folder, from } of folders)
      for (const ending of [".yaml", ".yml"]) {
        const path = join(folder, `${name}${ending}`);
        const content = await files.read(path);
        if (content) return { name, from, path, text: String(content), sha256: hash("sha256", content) };
      }
    return undefined;
  }

  async function write(name: string, text: string, replaces: string | undefined): Promise<WorkflowFile> {
    const home = folders.find(({ from }) => from === "home");
    if (!home)
      throw new Problem(
        "forbidden",
        "this home has no workflows of its own; name the home with --home or AGIRAPH_HOME",
      );
    if (Buffer.byteLength(text) > mostBytes)
      throw new Problem(
        "too_large",
        `${name} has ${Buffer.byteLength(text)} bytes; a workflow may have at most ${mostBytes}`,
      );
    const found = await look(name);
    // An example is not replaced: the copy in the home is a new file.
    const before = found?.from === "home" ? found : undefined;
    const isCopy = found?.from === "example" && replaces === found.sha256;
    if (!isCopy && before?.sha256 !== replaces) {
      const why = before ? "was changed by somebody else" : "does not exist (any more)";
      throw new Problem("conflict", `${name} ${why}; read it and name the version to replace`, {
        sha256: before?.sha256,
      });
    }
    await files.makeDir(home.path);
    await files.write(before?.path ?? join(home.path, `${name}.yaml`), text);
    return (await look(name))!;
  }

  let last: Promise<unknown> = Promise.resolve();
  return {
    async read(name) {
      const found = await look(name);
      if (!found) throw new Problem("not_found", `there is no workflow ${name}; GET /workflows lists them`);
      return found;
    },
    write(name, text, replaces) {
      const mine = last.then(() => write(name, text, replaces));
      last = mine.catch(() => undefined);
      return mine;
    },
    check(text, name) {
      try {
        return { usable: parseWorkflow(text, `${name}.yaml`, name) };
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return { problems: issuesIn(error) };
      }
    },
  };
}

function issuesIn({ message, details }: Problem): FileProblem[] {
  const issues = details?.issues as FileProblem[] | undefined;
  return issues?.length
    ? issues.map(({ line, column, message: what }) => ({ line, column, message: what }))
    : [{ line: null, column: null, message }];
}

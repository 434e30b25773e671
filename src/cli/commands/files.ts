/** Files and memory of an agent, from the command line. */

import type { z } from "zod";
import type { FileOrFolder } from "../../api/files.ts";
import { bytes } from "../../lib/text/amounts.ts";
import { table } from "../terminal/table.ts";
import { clean, wrap } from "../terminal/text.ts";
import { ago } from "../terminal/words.ts";
import { pickAgent, type Shell, show } from "./shell.ts";

type Found = z.infer<typeof FileOrFolder>;

export interface Place {
  memory?: boolean;
  run?: string;
}

export async function listFiles(shell: Shell, wanted: string | undefined, path: string, place: Place): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const found = (await (await ask(shell, agent, path, place, false)).json()) as Found;
  show(shell, found, () => {
    if (found.kind === "file") return [`${found.path}  ${bytes(found.size)}  ${found.type}`];
    if (found.entries.length === 0) return ["No files."];
    const rows = found.entries.map(({ name, kind, size, changed_at }) => [
      clean(kind === "folder" ? `${name}/` : name),
      kind === "folder" ? "" : bytes(size),
      ago(shell.now() - Date.parse(changed_at)),
    ]);
    const columns = [
      { title: "name", wide: true },
      { title: "size", right: true },
      { title: "changed", right: true },
    ];
    return table(columns, rows, shell.terminal.width()).slice(1);
  });
}

/** Lines with these words, as one would read them: path:line: text. Page by page, so the first ones are not waited for. */
export async function findInFiles(
  shell: Shell,
  wanted: string | undefined,
  words: string,
  { memory, run, below }: Place & { below: string },
): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const inside = (path: string): boolean =>
    below === "" || path === below || path.startsWith(`${below.replace(/\/$/, "")}/`);
  const tree = { of: memory ? ("memory" as const) : ("workspace" as const), ...(run && !memory ? { run } : {}) };
  const { colors } = shell.terminal;
  let any = false;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { ...tree, query: words, ...(cursor ? { cursor } : {}) };
    const { items, next } = await shell.client.findInFiles({ params: { agent }, query });
    const found = items.filter(({ path }) => inside(path));
    any ||= found.length > 0;
    if (found.length > 0)
      show(shell, { found }, () =>
        found.flatMap(({ path, lines, more }) => [
          ...(lines.length === 0 ? [clean(path)] : []),
          ...lines.map(({ line, text }) => `${colors.bold(clean(path))}${colors.dim(`:${line}:`)} ${clean(text)}`),
          ...(more ? [colors.dim(`${clean(path)}: more matching lines`)] : []),
        ]),
      );
    cursor = next;
  }
  if (!any) show(shell, { found: [] }, () => ["No matches."]);
}

/** The bytes as they are; `out` takes them. */
export async function catFile(
  shell: Shell,
  wanted: string,
  path: string,
  place: Place,
  out: (chunk: Uint8Array) => void,
) {
  const agent = await pickAgent(shell, wanted);
  const response = await ask(shell, agent, path, place, true);
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) out(chunk);
}

function ask({ client }: Shell, agent: string, path: string, { memory, run }: Place, raw: boolean): Promise<Response> {
  const query = raw ? { raw: "1" } : {};
  const ofRun = { ...query, ...(run ? { run } : {}) };
  if (memory)
    return path
      ? client.readMemory({ params: { agent, path }, query })
      : client.listMemory({ params: { agent }, query });
  return path
    ? client.readWorkspace({ params: { agent, path }, query: ofRun })
    : client.listWorkspace({ params: { agent }, query: ofRun });
}

export async function searchMemory(shell: Shell, wanted: string, query: string, limit: number): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const said = await shell.client.searchMemory({ params: { agent }, body: { query, limit } });
  const { colors } = shell.terminal;
  show(shell, said, () =>
    said.found.length === 0
      ? [`No matches in the memory of ${agent}.`]
      : said.found.flatMap(({ path, section, text }, at) => [
          ...(at ? [""] : []),
          `${colors.bold(clean(path))}${section ? colors.dim(`  ${clean(section)}`) : ""}`,
          ...wrap(text, shell.terminal.width() - 2)
            .slice(0, 6)
            .map((line) => `  ${line}`),
        ]),
  );
}

/** Files and memory of an agent, from the command line. */

import type { z } from "zod";
import type { FileOrFolder } from "../api/files.ts";
import { pickAgent, type Shell, show } from "./shell.ts";
import { table } from "./table.ts";
import { clean, wrap } from "./text.ts";
import { ago, bytes } from "./words.ts";

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
    if (found.entries.length === 0) return ["Nothing is there."];
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
      ? [`${agent} remembers nothing of that.`]
      : said.found.flatMap(({ path, section, text }, at) => [
          ...(at ? [""] : []),
          `${colors.bold(clean(path))}${section ? colors.dim(`  ${clean(section)}`) : ""}`,
          ...wrap(text, shell.terminal.width() - 2)
            .slice(0, 6)
            .map((line) => `  ${line}`),
        ]),
  );
}

/** The shared documents of an agent's run, from the command line: list, print, show the history, write. */
import { shellLine } from "../../lib/command-line.ts";
import { table } from "../terminal/table.ts";
import { clean } from "../terminal/text.ts";
import { pickAgent, type Shell, show } from "./shell.ts";

export interface DocumentWish {
  /** The new text. */
  content?: string;
  /** The version that was read. */
  base?: number;
  history?: boolean;
  version?: number;
}

export async function showDocuments(
  shell: Shell,
  wanted: string | undefined,
  name: string | undefined,
  given: DocumentWish,
): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  if (name === undefined) return await listDocuments(shell, agent);
  const params = { agent, document: name };
  const { content, base, history, version } = given;
  if (content !== undefined) {
    const written = await shell.client.writeDocument({ params, body: { content, ...(base ? { base } : {}) } });
    return show(shell, written, () => [`${written.name} is at version ${written.version}.`]);
  }
  const document = await shell.client.readDocument({ params, query: version ? { version: String(version) } : {} });
  show(shell, document, () => {
    if (!history) return document.text.split("\n").map(clean);
    const rows = document.history.map(({ version: nth, by, at }) => [`${nth}`, by, at]);
    const [head, ...lines] = table(
      [{ title: "version", right: true }, { title: "by" }, { title: "at" }],
      rows,
      shell.terminal.width(),
    );
    return [shell.terminal.colors.dim(head!), ...lines];
  });
}

async function listDocuments(shell: Shell, agent: string): Promise<void> {
  const { items } = await shell.client.listDocuments({ params: { agent } });
  show(shell, items, () => {
    if (!items.length)
      return [
        `${agent} has no documents. Write one: ${shellLine(`documents ${agent} decisions.md --write decisions.md`)}`,
      ];
    const rows = items.map(({ name, version, by, at, owner }) => [name, `${version}`, by, at, owner ?? "everyone"]);
    const columns = [
      { title: "name", wide: true },
      { title: "version", right: true },
      { title: "by" },
      { title: "at" },
      { title: "owner" },
    ];
    const [head, ...lines] = table(columns, rows, shell.terminal.width());
    return [shell.terminal.colors.dim(head!), ...lines];
  });
}

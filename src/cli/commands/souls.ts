/** Templates for the soul of a new agent, from the command line. */

import { shellLine } from "../../lib/command-line.ts";
import { didYouMean } from "../../lib/text/closest.ts";
import { Problem } from "../../schema/problem.ts";
import { table } from "../terminal/table.ts";
import { clean } from "../terminal/text.ts";
import { type Shell, show } from "./shell.ts";

export async function listSouls(shell: Shell, name: string | undefined): Promise<void> {
  if (name !== undefined) {
    const text = await templateOf(shell, name);
    return show(shell, { name, text }, () => text.split("\n").map(clean));
  }
  const { items } = await shell.client.listSouls();
  show(shell, items, () => {
    if (!items.length) return ["No templates."];
    const rows = items.map((one) => [one.name, clean(one.about), one.from]);
    const columns = [{ title: "soul" }, { title: "about", wide: true }, { title: "from" }];
    const [head, ...lines] = table(columns, rows, shell.terminal.width());
    return [
      shell.terminal.colors.dim(head!),
      ...lines,
      "",
      `Use one: ${shellLine(`run "your goal" --soul ${items[0]!.name}`)}`,
    ];
  });
}

/** The text of a template. Throws `not_found`, and names those there are. */
export async function templateOf({ client }: Pick<Shell, "client">, name: string): Promise<string> {
  const { items } = await client.listSouls();
  const found = items.find((one) => one.name === name);
  if (found) return found.text;
  const names = items.map((one) => one.name);
  throw new Problem(
    "not_found",
    `there is no template ${name}${didYouMean(name, names)}; templates: ${names.join(", ") || "none"}. A file is named with its ending: soul.md`,
  );
}

/** What a turn was shown, in the terminal. */
import type { TurnPart } from "../../api/turn-context.ts";
import { table } from "../terminal/table.ts";
import { clean, wrap } from "../terminal/text.ts";
import { thousands } from "../terminal/words.ts";
import { pickAgent, type Shell, show } from "./shell.ts";

export async function showContext(shell: Shell, wanted: string | undefined, turn: string | undefined): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const context = await shell.client.getContext({ params: { agent }, query: turn === undefined ? {} : { turn } });
  const { colors } = shell.terminal;
  const width = shell.terminal.width();
  const rows = (parts: readonly TurnPart[]) => {
    const [head, ...lines] = table(columns, parts.map(rowOf), width);
    return [colors.dim(head!), ...lines];
  };
  const names = (all: readonly string[]) => wrap(all.join(", "), width - 2).map((line) => `  ${line}`);
  show(shell, context, () => {
    const { parts, left_out, tools, further, budget, node, run, at } = context;
    const reasons = Map.groupBy(tools, ({ why }) => why);
    return [
      `${colors.bold(context.turn)}  ${thousands(context.tokens)} tokens${run ? `, ${run}` : ""}${node ? `, ${node}` : ""}, ${at}`,
      "",
      ...rows(parts),
      ...(left_out.length ? ["", `Left out, beyond the ${thousands(budget)} tokens for what the task needs:`] : []),
      ...(left_out.length ? rows(left_out) : []),
      ...[...reasons].flatMap(([why, some]) => ["", `Tools: ${why}`, ...names(some.map(({ name }) => name))]),
      ...(further.length ? ["", "Tools: one call away (find_tools)", ...names(further)] : []),
    ];
  });
}

const columns = [
  { title: "part" },
  { title: "tokens", right: true },
  { title: "value" },
  { title: "from", least: 8 },
  { title: "why", wide: true },
];

const rowOf = ({ name, tokens, value, source, why, brief }: TurnPart): string[] => [
  name,
  thousands(tokens),
  brief ? "in brief" : value,
  clean(source),
  clean(why),
];

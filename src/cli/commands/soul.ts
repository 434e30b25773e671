/** The soul of an agent from the command line: its text, its versions and what came of each, what is proposed, and the human's decision. */
import type { SoulVersionView, SoulView } from "../../api/soul.ts";
import { shellLine } from "../../lib/command-line.ts";
import { money } from "../../lib/text/amounts.ts";
import { Problem } from "../../schema/problem.ts";
import type { SoulProposal } from "../../schema/soul.ts";
import { table } from "../terminal/table.ts";
import { clean, wrap } from "../terminal/text.ts";
import { ago } from "../terminal/words.ts";
import { pickAgent, type Shell, show } from "./shell.ts";

export interface SoulWish {
  versions?: boolean;
  diff?: string;
  restore?: number;
  accept?: string;
  line?: string;
  decline?: string;
  reason?: string;
}

export async function governSoul(shell: Shell, wanted: string | undefined, wish: SoulWish): Promise<void> {
  const params = { agent: await pickAgent(shell, wanted) };
  const { client, terminal } = shell;
  if (wish.accept !== undefined || wish.decline !== undefined) {
    const { accept, decline, line, reason } = wish;
    const body = accept
      ? { decision: "accept" as const, ...(line ? { line } : {}) }
      : { decision: "decline" as const, ...(reason ? { reason } : {}) };
    const made = await client.decideSoulProposal({ params: { ...params, proposal: accept ?? decline! }, body });
    return show(shell, made, () => proposalLines(made, params.agent, shell));
  }
  if (wish.restore !== undefined) {
    const soul = await client.restoreSoul({ params, body: { seq: wish.restore } });
    return show(shell, soul, () => [
      `Restored version ${wish.restore}.`,
      "",
      ...textLines(soul.text, terminal.width()),
    ]);
  }
  if (wish.diff !== undefined) {
    const { lines } = await client.diffSoul({ params, query: rangeOf(wish.diff) });
    return show(shell, lines, () => lines.map(({ look, text }) => diffLine(look, clean(text), terminal.colors)));
  }
  const soul = await client.getSoul({ params });
  if (wish.versions) return show(shell, soul.versions, () => versionLines(soul.versions, shell));
  show(shell, soul, () => soulLines(soul, params.agent, shell));
}

/** 12 or 12..40. */
function rangeOf(text: string): { from: number; to?: number } {
  const [, from, to] = /^(\d+)(?:\.\.(\d+))?$/.exec(text) ?? [];
  if (!from) throw new Problem("invalid", `--diff takes the number of a version, or two of them: 12 or 12..40`);
  return { from: Number(from), ...(to ? { to: Number(to) } : {}) };
}

const textLines = (text: string, width: number): string[] =>
  text
    .trimEnd()
    .split("\n")
    .flatMap((line) => (line.trim() ? wrap(clean(line), width) : [""]));

function diffLine(
  look: "same" | "add" | "del",
  text: string,
  { green, red, dim }: Shell["terminal"]["colors"],
): string {
  return look === "add" ? green(`+ ${text}`) : look === "del" ? red(`- ${text}`) : dim(`  ${text}`);
}

function versionLines(versions: readonly SoulVersionView[], { terminal, now }: Shell): string[] {
  const rows = versions.map(({ seq, at, by, results }) => [
    String(seq),
    ago(now() - Date.parse(at)),
    by,
    ...(results
      ? [
          String(results.runs),
          `${results.completed}/${results.completed + results.failed}`,
          `${results.corrections}/${results.messages}`,
          money(results.usd),
        ]
      : ["", "", "", ""]),
  ]);
  const columns = [
    { title: "version", right: true },
    { title: "since", right: true },
    { title: "by" },
    { title: "runs", right: true },
    { title: "nodes done", right: true },
    { title: "corrections", right: true },
    { title: "cost", right: true },
  ];
  const [head, ...lines] = table(columns, rows, terminal.width());
  const note =
    "Counts of what happened while a version held, not its effect. Corrections: your messages that correct it.";
  return [terminal.colors.dim(head!), ...lines, "", ...wrap(note, terminal.width())];
}

function soulLines({ text, versions, proposals, teams }: SoulView, agent: string, shell: Shell): string[] {
  const open = proposals.filter(({ status }) => status === "open");
  return [
    ...textLines(text, shell.terminal.width()),
    "",
    shell.terminal.colors.dim(
      `${versions.length} version${versions.length === 1 ? "" : "s"}: ${shellLine(`soul ${agent} --versions`)}`,
    ),
    ...teams.map(
      ({ team, as, run, upto, handled }) =>
        `Takes part in ${team} (${run}) as ${clean(as)}${handled < upto ? "; a message of it waits" : ""}.`,
    ),
    ...open.flatMap((one) => ["", ...proposalLines(one, agent, shell)]),
  ];
}

function proposalLines(one: SoulProposal, agent: string, { terminal }: Shell): string[] {
  const width = terminal.width();
  const head = one.status === "open" ? "proposed" : one.status === "accepted" ? `accepted by ${one.by}` : "declined";
  return [
    ...wrap(`${one.id}, ${head}: ${clean(one.line)}`, width),
    ...wrap(`  ${clean(one.why)}`, width),
    ...one.evidence.flatMap(({ run, seq, text }) => wrap(`  ${run}, event ${seq}: ${clean(text)}`, width)),
    ...(one.status === "open"
      ? [`  ${shellLine(`soul ${agent} --accept ${one.id}`)}`, `  ${shellLine(`soul ${agent} --decline ${one.id}`)}`]
      : []),
  ];
}

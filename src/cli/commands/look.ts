/** Looking at an agent from the command line: its board, a node, why it waits, what it cost, what happened. */

import { fromFrozenState } from "../../api/state.ts";
import { checkTitle, evidenceOf } from "../../core/board/check.ts";
import { money } from "../../lib/text/amounts.ts";
import { visibleJson } from "../../lib/text/visible.ts";
import type { Event } from "../../schema/event.ts";
import { table } from "../terminal/table.ts";
import { clean, truncate, wrap } from "../terminal/text.ts";
import { thousands } from "../terminal/words.ts";
import { newsLines } from "../view/event-lines.ts";
import { graph } from "../view/graph.ts";
import { board, noNodes } from "../view/view.ts";
import { pickAgent, type Shell, show } from "./shell.ts";

export async function showBoard(shell: Shell, wanted: string | undefined, form: "tree" | "graph"): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const params = { agent };
  if (shell.json) return show(shell, await shell.client.getBoard({ params }), () => []);
  const state = fromFrozenState(await shell.client.getState({ params }));
  const { terminal, now } = shell;
  const look = {
    width: terminal.width(),
    colors: terminal.colors,
    since: Date.parse(state.run?.started_at ?? state.at),
  };
  const run = state.run;
  const until = run && "ended_at" in run ? Date.parse(run.ended_at) : now();
  const drawn = board(state, until, { ...look, rows: 500, hint: "" });
  if (!state.nodes.size) terminal.say([...drawn, noNodes]);
  else terminal.say(form === "tree" ? drawn : [drawn[0]!, "", ...graph(state, look)]);
}

/** `[AGENT] NODE`: the last word is the node. */
export async function ofNode(shell: Shell, words: readonly string[]): Promise<{ agent: string; node: string }> {
  const node = words.at(-1)!;
  const agent = await pickAgent(shell, words.length > 1 ? words[0] : undefined);
  return { agent, node };
}

export async function showNode(shell: Shell, words: readonly string[]): Promise<void> {
  const params = await ofNode(shell, words);
  const whole = await shell.client.getNode({ params });
  const { colors } = shell.terminal;
  const width = shell.terminal.width();
  const { node, spec, manifest, turns, messages, why, cost } = whole;
  const evidence = evidenceOf(node);
  const heading = (text: string) => ["", colors.bold(text)];
  const indent = (text: string, most = 40) => {
    const lines = wrap(text, width - 2).map((line) => (line ? `  ${line}` : ""));
    return lines.length > most ? [...lines.slice(0, most), colors.dim(`  … ${lines.length - most} more lines`)] : lines;
  };
  const files = (manifest?.files ?? []) as { path: string; size: number; sha256: string }[];
  show(shell, whole, () => [
    `${colors.bold(`${node.id}`)}  ${node.status}${evidence ? `, ${evidence}` : ""}, ${money(cost.usd)}, ${turns.length ? `${node.turns} turns` : "no turns yet"}`,
    ...wrap(clean(why.words), width),
    ...(node.checks ? heading("Checks") : []),
    ...(node.checks ?? []).map((check, at) => {
      const result = node.results?.find((one) => one.check === at + 1);
      const said = result ? `${result.outcome} by ${result.by}` : "not done yet";
      return truncate(`  ${said}: ${clean(checkTitle(check))}`, width);
    }),
    ...heading("Task"),
    ...indent(spec ?? node.task),
    ...(files.length ? heading("Published") : []),
    ...files.map(({ path, size, sha256 }) =>
      truncate(`  ${clean(path)}  ${size} bytes  ${sha256.slice(0, 12)}`, width),
    ),
    ...(turns.length ? heading("Latest turns") : []),
    ...turns.map(({ turn, said, tools, failed }) =>
      truncate(
        `  ${turn}  ${failed ? `failed: ${clean(failed)}` : tools.map(({ tool }) => tool).join(", ") || clean(said)}`,
        width,
      ),
    ),
    ...(messages.length ? heading("Messages") : []),
    ...messages.map(({ from, to, text }) => truncate(`  ${from} → ${to.join(", ")}: ${clean(text)}`, width)),
  ]);
}

export async function showWhy(shell: Shell, words: readonly string[]): Promise<void> {
  const why = await shell.client.getWhy({ params: await ofNode(shell, words) });
  const { colors } = shell.terminal;
  show(shell, why, () =>
    why.chain.flatMap(({ text, since, until, next_mover }, at) => {
      const facts = [since && `since ${since}`, until && `until ${until}`, next_mover && `next: ${next_mover}`].filter(
        Boolean,
      );
      const lines = wrap(clean(text), shell.terminal.width() - 2 * at - 2);
      const indent = "  ".repeat(at);
      return [
        ...lines.map((line, nth) => `${indent}${nth === 0 && at ? "← " : nth ? "  " : ""}${line}`),
        ...(facts.length ? [colors.dim(`${indent}  ${facts.join(", ")}`)] : []),
      ];
    }),
  );
}

export async function showCost(shell: Shell, wanted: string | undefined): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const cost = await shell.client.getCost({ params: { agent } });
  const { colors } = shell.terminal;
  const width = shell.terminal.width();
  const limit = cost.budget.usd === undefined ? "no limit" : `of ${money(cost.budget.usd)}`;
  const amounts = (title: string, by: Record<string, { usd: number; tokens?: number }>) => {
    const rows = Object.entries(by).map(([what, { usd, tokens = 0 }]) => [what, money(usd), thousands(tokens)]);
    if (rows.length === 0) return [];
    const columns = [
      { title, wide: true },
      { title: "cost", right: true },
      { title: "tokens", right: true },
    ];
    const [head, ...lines] = table(columns, rows, width);
    return ["", colors.dim(head!), ...lines];
  };
  const cached = cost.input_tokens ? Math.round((100 * cost.cache_read_tokens) / cost.input_tokens) : 0;
  const models = Object.fromEntries(
    Object.entries(cost.by.model).map(([model, { usd, input, output }]) => [model, { usd, tokens: input + output }]),
  );
  show(shell, cost, () => [
    `${colors.bold(agent)}  ${money(cost.usd)} ${limit}${cost.reserved_usd ? `, ${money(cost.reserved_usd)} reserved for calls in progress` : ""}`,
    `${thousands(cost.calls)} calls, ${thousands(cost.input_tokens)} tokens in (${cached} % from the cache), ${thousands(cost.output_tokens)} out`,
    ...(cost.unpriced_calls ? [colors.yellow(`${cost.unpriced_calls} calls have no known price and count as $0`)] : []),
    ...amounts("model", models),
    ...amounts("worker", cost.by.worker),
    ...amounts("node", cost.by.node),
    ...amounts("day", cost.by.day),
  ]);
}

export interface EventsGiven {
  follow?: boolean;
  types?: string;
  after?: number;
}

/** For people what is worth a line, for programs every event. */
export async function showEvents(
  shell: Shell,
  wanted: string | undefined,
  given: EventsGiven,
  stop: AbortSignal,
): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const params = { agent };
  const { seq } = await shell.client.getAgent({ params });
  const after = given.after ?? (given.follow && !shell.json ? seq : 0);
  const begun = fromFrozenState(await shell.client.getState({ params }));
  const look = {
    width: shell.terminal.width(),
    colors: shell.terminal.colors,
    since: Date.parse(begun.run?.started_at ?? begun.at),
    close: true,
  };
  const types = given.types?.split(",").map((type) => type.trim());
  const tell = (event: Event) => {
    if (shell.json) shell.write(`${visibleJson(event)}\n`);
    else {
      const lines = newsLines(begun, [event], look);
      shell.terminal.say(lines.length ? lines : [plainLine(event, shell)]);
    }
  };
  const over = new AbortController();
  const options = { agent, after, signal: AbortSignal.any([stop, over.signal]), ...(types ? { types } : {}) };
  if (!given.follow) {
    for (let at: string | null = String(after); at !== null && !stop.aborted; ) {
      const page = await shell.client.listEvents({
        params,
        query: { after: at, limit: 500, ...(types ? { types: types.join(",") } : {}) },
      });
      for (const event of page.items as Event[]) tell(event);
      at = page.next;
    }
    return;
  }
  for await (const { event } of shell.client.events(options)) tell(event);
}

const plainLine = ({ seq, ts, type, actor }: Event, { terminal }: Shell): string =>
  terminal.colors.dim(`${String(seq).padStart(6)}  ${ts.slice(11, 19)}  ${type}  ${actor}`);

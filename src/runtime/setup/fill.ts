/**
 * Puts what the setup printed into the texts of a team: `${{ setup.NAME }}`. It is data, whatever it says: in what somebody is told it stands between
 * marks (toolkit/data.ts); in the first message there is only its name, and the text itself comes after the message, and attached as a resource.
 *
 * `$${{` stands for `${{` itself. A team without setup steps is left as it is.
 */
import { shortenMiddle } from "../../lib/text/text.ts";
import type { SetupResult } from "../../schema/setup-step.ts";
import type { Team } from "../../schema/workflow.ts";
import { asData } from "../../toolkit/data.ts";

export interface Filled {
  team: Team;
  /** The text of each document. */
  documents: { name: string; owner?: string | undefined; text: string }[];
  quotes?: string;
  attached: string[];
}

/** Characters of one output that are shown at once. */
const longest = 20_000;
const longestInside = 5_000;

export async function fillTeam(
  team: Team,
  results: readonly SetupResult[],
  output: (as: string) => Promise<string>,
): Promise<Filled> {
  const named = new Map(results.flatMap((one) => (one.as === undefined ? [] : [[one.as, one] as const])));
  const texts = new Map<string, string>();
  for (const as of named.keys()) texts.set(as, await output(as));
  const { documents = [] } = team;
  if (!team.setup?.length) return { team, documents, attached: [] };
  const inside = (text: string): string => fill(text, texts, (name, value) => quote(name, value, longestInside));
  const used = namesIn(team.kickoff ?? "").filter((name) => texts.has(name));
  const quotes = used.map((name) => quote(name, texts.get(name)!, longest)).join("\n");
  return {
    team: {
      ...team,
      workers: team.workers.map((one) => ({ ...one, role: inside(one.role) })),
      nodes: team.nodes.map((node) => ({
        ...node,
        spec: inside(node.spec),
        ...(node.acceptance === undefined ? {} : { acceptance: inside(node.acceptance) }),
      })),
      ...(team.coordinator?.prompt
        ? { coordinator: { ...team.coordinator, prompt: inside(team.coordinator.prompt) } }
        : {}),
      ...(team.kickoff === undefined ? {} : { kickoff: fill(team.kickoff, texts, (name) => `[data: ${name}]`) }),
    },
    documents: documents.map((one) => ({ ...one, text: fill(one.text, texts, whole) })),
    ...(quotes ? { quotes } : {}),
    attached: used.flatMap((name) => named.get(name)?.resource ?? []),
  };
}

const whole = (_name: string, text: string): string => text;

function quote(name: string, text: string, most: number): string {
  if (!text) return `[the setup step ${name} printed nothing]`;
  return asData({ from: `the setup step ${name}`, text: shortenMiddle(text, most), exact: true });
}

const expression = /\$?\$\{\{\s*setup\.([a-zA-Z][a-zA-Z0-9_-]*)\s*\}\}|\$\$\{\{/g;

/** Each name once. */
const namesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(expression)].flatMap(([all, name]) => (name && !all.startsWith("$$") ? [name] : []))),
];

/** An unknown name stays as it is: whoever started the team was told of it before. */
function fill(text: string, texts: ReadonlyMap<string, string>, show: (name: string, value: string) => string): string {
  return text.replace(expression, (all, name: string | undefined) => {
    if (all.startsWith("$$")) return all.slice(1);
    const value = texts.get(name!);
    return value === undefined ? all : show(name!, value);
  });
}

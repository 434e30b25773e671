/** What a person is told of an agent that came in a bundle: what it brings, what of that does not hold here, and how to say yes to it. */

import type { Brings } from "../../api/bundle.ts";
import { shellLine } from "../../lib/command-line.ts";
import type { BudgetLimit } from "../../schema/budget.ts";
import { actionText, scheduleText } from "../commands/triggers.ts";
import { clean } from "../terminal/text.ts";

export function importLines(agent: string, status: string, brings: Brings): string[] {
  const { skills, triggers, channels, tools, commands, other_models, folder } = brings;
  const rows: [string, string[]][] = [
    ["model", [brings.model, ...other_models]],
    ["budget", [`${limit(brings.budget)}${changed(brings) ? ` (it had ${limit(brings.budget_before)})` : ""}`]],
    ["tools", tools ? [tools.join(", ") || "only its own log and memory"] : ["all tools of this home"]],
    ["programs", commands],
    [
      "skills",
      skills.map((name) => `${name}, disabled; review it: ${shellLine(`skill accept ${name} --agent ${agent}`)}`),
    ],
    [
      "triggers",
      triggers.map(
        (one) =>
          `${one.id}, disabled: ${scheduleText(one)}, ${actionText(one)}; enable it: ${shellLine(`triggers ${agent} --arm ${one.id}`)}`,
      ),
    ],
    [
      "channels",
      channels.length ? [`${channels.join(", ")} in its old home; here only this home's channels are used`] : [],
    ],
    ["folder", folder === null ? [] : [`${folder} on its old machine; not readable here`]],
    [
      "approvals",
      brings.approvals_voided
        ? [`${brings.approvals_voided} from its old home no longer apply; the agent asks again`]
        : [],
    ],
    ["turns", brings.turns_ended ? [`${brings.turns_ended} in progress were ended`] : []],
  ];
  return [
    `Imported ${agent}, ${status}. It comes with:`,
    ...rows.flatMap(([title, lines]) => lines.map((line) => `  ${title.padEnd(10)} ${clean(line)}`)),
    `Resume it: ${shellLine(`resume ${agent}`)}`,
  ];
}

const limit = (given: BudgetLimit): string =>
  Object.entries(given)
    .map(([unit, most]) => `${most} ${unit}`)
    .join(", ") || "none set";

const changed = ({ budget, budget_before }: Brings): boolean =>
  JSON.stringify(budget) !== JSON.stringify(budget_before);

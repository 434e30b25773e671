/** The report of a campaign, for people. Everything in it is in report.json as well. */
import type { Report } from "./campaign.ts";
import type { Group } from "./group.ts";

interface Words<World> {
  again(world: World): string;
  about?(world: World): string;
}

export function describeReport<World, State>(report: Report<World, State>, words: Words<World>, further = ""): string {
  const { kind, name, began, commits, seconds, totals, groups } = report;
  const [open, gone] = [groups.filter((group) => !group.gone), groups.filter((group) => group.gone)];
  const describe = (group: Group<World>) => describeGroup(group, words);
  return `# Campaign ${name}

${kind}, begun ${began}, ${(seconds / 60).toFixed(1)} minutes, with ${commits.join(", ")}

${Object.entries(totals)
  .map(([what, times]) => `- ${what}: ${Math.round(times).toLocaleString("en")}`)
  .join("\n")}

## Violations
${
  open.length
    ? open
        .toSorted((a, b) => b.times - a.times)
        .map(describe)
        .join("\n")
    : "None.\n"
}${
  gone.length ? `\n## Violations that are gone\n${gone.map(describe).join("\n")}` : ""
}${further ? `\n${further}` : ""}`;
}

function describeGroup<World>(group: Group<World>, { again, about }: Words<World>): string {
  const { invariant, cause, times, examples, shrunk, commit, gone } = group;
  const smallest = shrunk ?? examples[0]!;
  return `
### ${invariant}: ${cause}
${times} times, last with ${commit}${gone ? `; gone with ${gone}` : ""}

${fenced(again(smallest.world))}
${fenced(smallest.what)}
${about ? `The world, where it is not the simplest: \`${about(smallest.world)}\`\n` : ""}
${shrunk ? `Shrunk in ${shrunk.tries} tries${shrunk.done ? "" : ", not to the end"}. ` : "Not shrunk. "}Seen as well:

${fenced(examples.map(({ world }) => again(world)).join("\n"))}`;
}

const fenced = (text: string) => `\`\`\`\n${text}\n\`\`\`\n`;

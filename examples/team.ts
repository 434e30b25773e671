/** A team, run by a program: node team.ts "your goal" */
import { defineTool, team, z } from "agiraph";

const dice = defineTool({
  name: "roll_dice",
  about: "Roll dice and say what they show.",
  guidance: "For everything that is to be left to chance.",
  effect: "reads",
  repeatable: true,
  input: z.object({ count: z.number().int().min(1).max(10) }),
  run: async ({ count }) => Array.from({ length: count }, () => Math.ceil(Math.random() * 6)).join(", "),
});

const { answer, files, agent, cost } = await team({
  goal: process.argv[2] ?? "Roll two dice and say what they show",
  tools: [dice],
  budget: { usd: 1 },
  onEvent: (event) => console.error(event.type),
});
console.log(answer);
console.log(`${agent} published ${files.length} files for $${cost.usd.toFixed(2)}`);

/**
 * node test/clis/house.ts HOME: one agent of a home in a process of its own, that can be killed: created if it is not there, and worked on until it
 * is completed or paused. Questions are answered with what AGIRAPH_ANSWERS says.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openHouse } from "../../src/main/house/house.ts";

const home = process.argv[2]!;
const house = await openHouse({
  path: home,
  env: process.env,
  notice: (who, { message }) => console.error(who, message),
});
await house.runtime.start();
await house.runtime.recover();
if (!existsSync(join(home, "agents/a1")))
  await house.runtime.create(
    { name: "a1", ...JSON.parse(readFileSync(join(home, "agent.json"), "utf8")) },
    { actor: "human" },
  );
for (;;) {
  const { status, asks } = await house.runtime.read("a1", ({ agent, questions }) => ({
    status: agent?.status,
    asks: [...questions.values()].find((question) => question.status === "open")?.id,
  }));
  if (status !== "active") break;
  const { AGIRAPH_ANSWERS: answer } = process.env;
  if (asks && answer)
    await house.runtime.send("a1", { type: "question.answer", question: asks, answer }, { actor: "human" });
  await new Promise((resolve) => setTimeout(resolve, 50));
}
await house.close();
process.exit(0);

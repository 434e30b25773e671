/** A house in a process of its own, told what to do line by line on its standard input: what a person or a program does over the API. */
import { createInterface } from "node:readline";
import { openHouse } from "../../src/main/house/house.ts";
import type { NewAgent } from "../../src/runtime/runtime.ts";
import type { CommandInput } from "../../src/schema/command.ts";

interface Told {
  create?: NewAgent;
  agent?: string;
  send?: CommandInput;
  key?: string;
}

const house = await openHouse({
  path: process.argv[2]!,
  env: process.env,
  notice: (agent, problem) => process.stderr.write(`${agent}: ${problem.message}\n`),
});
await house.runtime.start();

for await (const line of createInterface({ input: process.stdin })) {
  const { create, agent, send, key } = JSON.parse(line) as Told;
  const options = { actor: "human", ...(key ? { key } : {}) };
  const say = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);
  try {
    if (create) say({ answer: await house.runtime.create(create, options) });
    else if (agent && send) say({ answer: await house.runtime.send(agent, send, options) });
    else say({ answer: "ready" });
  } catch (error) {
    say({ problem: (error as Error).message });
  }
}
await house.close();

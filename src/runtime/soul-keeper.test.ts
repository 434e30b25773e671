import { expect, test } from "vitest";
import { use } from "./model.test-help.ts";
import { home, start } from "./runtime.test-help.ts";

const hour = 3_600_000;
const human = { actor: "human" };
const finish = use("finish", { summary: "done" });

/** Two runs in which the human asks for the same, and once for something else. */
async function asked(options: { soulEvidence?: number }) {
  const world = start({ play: { coordinator: [finish, finish] }, ...options });
  await world.begin();
  await world.create();
  for (const text of ["Always answer in German, please.", "Always answer in German! From now on skip the tables."]) {
    if (world.state().run?.status === "completed") await world.send("a1", { type: "run.start" }, human);
    await world.send("a1", { type: "message.post", text }, human);
    await world.pass(hour);
  }
  const soul = () => String(world.sim.disk.peek(`${home}/agents/a1/SOUL.md`));
  return { world, soul, proposals: () => [...world.state().soulProposals.values()] };
}

test("without a rule everything that is proposed waits for the human", async () => {
  const { proposals, soul } = await asked({});
  expect(proposals().map(({ status }) => status)).toEqual(["open", "open"]);
  expect(soul()).not.toContain("German");
});

test("a rule of the human's accepts what they said often enough, also after a restart, and nothing else", async () => {
  const { world, proposals, soul } = await asked({ soulEvidence: 2 });
  await world.restart("kill");
  await world.pass(hour);
  const accepted = proposals().filter(({ status }) => status === "accepted");
  expect(accepted).toMatchObject([{ by: "rule", line: "Always answer in German!" }]);
  expect(proposals().filter(({ status }) => status === "open")).toHaveLength(1);
  expect(soul().match(/- Always answer in German!/g)).toHaveLength(1);
  expect(soul()).not.toContain("tables");
});

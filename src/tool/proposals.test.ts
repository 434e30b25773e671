import { describe, expect, test } from "vitest";
import { type Asked, mail } from "../runtime/model.test-help.ts";
import { call, node, spawn, team, told } from "../toolkit/tool.test-help.ts";

const propose = (question: string, rest = {}) => call("proposal_create", { question, ...rest });
const vote = (proposal_id: string, choice: string, reason?: string) =>
  call("vote", { proposal_id, choice, ...(reason ? { reason } : {}) });

describe("proposals", () => {
  test("reach the voters, are voted on with reasons, and the result reaches all", async () => {
    const world = await team({
      coordinator: [
        {
          calls: [
            ...[
              spawn("Ann"),
              spawn("Bea"),
              propose("Tabs?", { rule: "unanimous", voters: ["ann", "bea", "coordinator"] }),
            ],
            ...[vote("p1", "no", "diffs"), vote("p1", "YES", "I looked again")],
          ],
        },
      ],
      ann: [{ calls: [vote("p1", "yes", "they are shorter")] }],
      bea: [{ calls: [vote("p1", "abstain")] }],
    });
    expect(world.told()[2]).toBe('{"proposal_id":"p1","voters":["ann","bea","coordinator"]}');
    const asked = world.asked.find(({ participant }) => participant === "ann") as Asked;
    expect(mail(asked).at(-1)).toContain("p1: Tabs? (yes / no)");
    expect(world.state().proposals.get("p1")).toMatchObject({
      status: "settled",
      verdict: { result: "won", option: "yes" },
      votes: { ann: "yes", bea: "abstain", coordinator: "yes" },
      reasons: { ann: "they are shorter", coordinator: "I looked again" },
    });
    const heard = world.asked.flatMap((one) => mail(one)).filter((text) => text.includes("p1 is settled: yes"));
    expect(heard.length).toBeGreaterThan(0);
  });

  test("are listed with who wanted what and why, as data", async () => {
    const said = await told(
      spawn("Ann"),
      call("proposal_list"),
      propose("Ship it?", { kind: "approval", voters: ["coordinator", "ann"] }),
      vote("p1", "approve", "it works"),
      call("proposal_list"),
      call("proposal_withdraw", { proposal_id: "p1" }),
      vote("p1", "reject"),
    );
    expect(said[1]).toBe("There are no proposals.");
    expect(said[3]).toMatch(/^Your vote on p1 is counted\. p1 is open until .*Z; 1 of 2 have not voted\.$/);
    expect(said[4]).toMatch(
      /p1, approval by Coordinator, plurality: Ship it\?\n {2}options: approve \/ reject\n {2}Coordinator: approve \(it works\)\n {2}p1 is open/s,
    );
    expect(said.slice(5)).toEqual(["p1 is withdrawn.", "error: p1 is already withdrawn; open proposals: none"]);
  });

  test("take their options from their kind, and end at their deadline by their rule", async () => {
    const world = await team({
      coordinator: [
        {
          calls: [
            ...[spawn("Ann"), spawn("Bea")],
            propose("Who edits?", { kind: "election", quorum: 2, deadline_seconds: 60 }),
            vote("p1", "Ann"),
          ],
        },
      ],
    });
    expect(world.state().proposals.get("p1")).toMatchObject({
      options: ["Ann", "Bea"],
      voters: ["human", "coordinator", "ann", "bea"],
      status: "settled",
      expired: true,
      verdict: { result: "none", why: "no_quorum" },
    });
  });

  test("that bind change an owner, a worker or what may be merged, by the runtime", async () => {
    const given = { voters: ["coordinator"], kind: "election" };
    const world = await team({
      coordinator: [
        {
          calls: [
            ...[spawn("Ann"), spawn("Bea"), node("first", { worker: "ann" }), node("then", { depends_on: ["n1"] })],
            call("document_write", { name: "plan.md", content: "x" }),
            ...[propose("Whose?", { ...given, binding: { effect: "own", of: "PLAN.md" } }), vote("p1", "bea")],
            ...[propose("Who?", { ...given, binding: { effect: "assign", of: "n2" } }), vote("p2", "Bea")],
            ...[propose("Go?", { voters: ["human"], binding: { effect: "merge", of: "n1" } })],
            propose("No?", { ...given, binding: { effect: "own", of: "no.md" } }),
          ],
        },
      ],
      ann: [{ calls: [propose("Now?", { binding: { effect: "merge", of: "n1" } })] }],
    });
    const said = world.told();
    expect(said[6]).toBe("Your vote on p1 is counted. p1 is settled: Bea. Bea owns plan.md.");
    expect(said[8]).toBe("Your vote on p2 is counted. p2 is settled: Bea. Bea does n2-then.");
    expect(said[10]).toBe("error: there is no document no.md; documents: plan.md");
    expect(world.state().documents.get("plan.md")?.owner).toBe("bea");
    expect(world.state().nodes.get("n2-then")).toMatchObject({ wanted_worker: "bea" });
    expect(world.state().proposals.get("p3")?.binding).toEqual({ effect: "merge", node: "n1-first" });
    expect(world.told("ann")[0]).toMatch(
      /^error: a binding vote is by everyone, each with one vote, and needs a majority/,
    );
  });
});

/** What stands behind a result is said on every surface that shows it. */
import { expect, test } from "vitest";
import { start } from "../../../core/core.test-help.ts";
import type { CheckResult } from "../../../schema/evidence.ts";
import { draw, wordsOf } from "../../draw.test-help.tsx";
import { List } from "../../graph/board.tsx";
import { Card } from "../../graph/card.tsx";
import { cardOf } from "../../graph/cards.ts";
import { Checks } from "../../graph/drawer-checks.tsx";
import { Row } from "../../talk/items.tsx";
import { threadOf } from "../../talk/thread.ts";
import { WorkerRail } from "../../talk/worker-rail.tsx";

const on = "c".repeat(64);
const at = "2026-01-01T00:00:05.000Z";
const checks = [{ run: "npm test" }, { file: "report.md" }, { review: "Is it true?", by: "Bob" }];
const result = (check: number, outcome: CheckResult["outcome"], more: Partial<CheckResult> = {}): CheckResult => ({
  ...{ check, on, what: checks[check - 1] as CheckResult["what"], outcome, by: "runtime", output: "", seconds: 12, at },
  ...more,
});

/** A node of Alice's with checks, at work. */
function checked() {
  const world = start();
  const id = world.node({ name: "Prices", worker: "Alice", checks } as never);
  world.turn("alice", "look");
  const end = (given: CheckResult) => {
    const { at: _, ...data } = given;
    world.append({ type: "check.ended", data: { node: id, ...data } }, "system");
  };
  const node = () => world.state.nodes.get(id)!;
  return { world, id, end, node };
}

test("a check that failed is seen while its worker mends it: on the card, and with its output in the drawer", async () => {
  const { world, end, node } = checked();
  end(result(1, "failed", { output: "1 test failed: adds" }));
  end(result(2, "passed"));
  expect(cardOf(world.state, node())).toMatchObject({
    mends: true,
    evidence: undefined,
    line: "Check failed, being mended: run npm test",
  });
  const markup = await draw(<Checks state={world.state} node={node()} />);
  const words = wordsOf(markup);
  expect(words).toContain("Checks 1 of 3 passed");
  expect(words).toMatch(/run npm test Failed, by Agiraph, [\d:]+ , 12 s Output 1 test failed: adds/);
  expect(words).toMatch(/report.md is there Passed, by Agiraph/);
  expect(words).toMatch(/review: Is it true\? Not done yet/);
  expect(markup).toContain("<details open");
});

test("a review says who read it and what was found", async () => {
  const { world, end, node } = checked();
  const findings = [{ file: "report.md", text: "The total is wrong" }];
  end(result(3, "failed", { by: "bob", findings }));
  const words = wordsOf(await draw(<Checks state={world.state} node={node()} />));
  expect(words).toMatch(/Failed, by Bob, [\d:]+ , 12 s report.md: The total is wrong/);
});

test("every surface that shows a completed node says verified, reviewed or claimed", async () => {
  const { world, id, end, node } = checked();
  for (const nth of [1, 2, 3]) end(result(nth, "passed", nth === 3 ? { by: "bob" } : {}));
  const files = [{ path: "report.md", size: 3, sha256: on }];
  const events = world.tell({ type: "node.publish", node: id, summary: "s", files, on } as never, "alice");
  const { state } = world;
  const view = cardOf(state, node());
  expect(view).toMatchObject({ evidence: "verified", mends: false });
  const given = { view, chosen: false, here: false, chain: false, fresh: false };
  const agent = state.agent!.id;
  const noop = () => undefined;
  const [published] = threadOf(events, { of: "coordinator" }).filter(({ kind }) => kind === "published");
  const surfaces = [
    <Card key="card" {...given} />,
    <Card key="kid" {...given} tiny />,
    <List key="list" state={state} views={[view]} chosen={undefined} choose={noop} />,
    <WorkerRail key="rail" agent={agent} state={state} one={state.participants.get("alice") as never} open={noop} />,
    <Row key="talk" item={published!} agent={agent} of="coordinator" state={state} goesOn={false} hot={false} />,
  ];
  for (const surface of surfaces) expect(wordsOf(await draw(surface, { states: [state] }))).toContain("Verified");
});

test("a result that did not pass its checks is claimed, and says that a check failed", async () => {
  const { world, id, end, node } = checked();
  end(result(1, "failed"));
  world.tell({ type: "node.publish", node: id, summary: "s", files: [], partial: true, on } as never, "alice");
  const view = cardOf(world.state, node());
  expect(view).toMatchObject({ evidence: "claimed", failed: 1, mends: false });
  const given = { chosen: undefined, choose: () => undefined };
  const words = wordsOf(await draw(<List {...given} state={world.state} views={[view]} />));
  expect(words).toContain("Claimed , 1 check failed");
});

test("an answer says what stands behind it, and which nodes are claimed only", async () => {
  const world = start();
  const id = world.node({ worker: "Alice" });
  world.turn("alice", "look");
  world.tell({ type: "node.publish", node: id, summary: "s", files: [] }, "alice");
  const events = world.tell({ type: "run.finish", summary: "All done" } as never, "coordinator");
  const [answer] = threadOf(events, { of: "coordinator" }).filter(({ kind }) => kind === "answer");
  const { state } = world;
  const agent = state.agent!.id;
  const row = <Row item={answer!} agent={agent} of="coordinator" state={state} goesOn={false} hot={false} />;
  const words = wordsOf(await draw(row, { states: [state] }));
  expect(words).toContain("r1 is done Claimed");
  expect(words).toContain(`Only claimed by its worker: ${id}`);
});

test("what was sent back by its checks is said in the thread", () => {
  const { world, id, end } = checked();
  end(result(1, "failed"));
  const events = world.tell({ type: "node.attempt", node: id, on } as never, "alice");
  const notes = threadOf(events, { of: "coordinator" }).flatMap((one) => (one.kind === "note" ? [one.text] : []));
  expect(notes).toEqual([`${id} was sent back: a check failed (attempt 1 of 3)`]);
});

/** What is around the pages, drawn from a scripted store. */
import { describe, expect, test } from "vitest";
import { start } from "../../core/core.test-help.ts";
import { leaderless } from "../../core/leaderless.test-help.ts";
import { draw, wordsOf } from "../draw.test-help.tsx";
import { Rail } from "../talk/rail.tsx";
import { WorkerRail } from "../talk/worker-rail.tsx";
import { AgentHeader } from "./header.tsx";
import { PhoneBar } from "./phone-bar.tsx";
import { Sidebar } from "./sidebar.tsx";

function team() {
  const world = start();
  const done = world.node({ name: "Vendors", task: "Find vendors" });
  world.append({ type: "node.assigned", data: { node: done, worker: "alice" } });
  world.append({ type: "node.started", data: { node: done, worker: "alice" } });
  const files = [{ path: "out/vendors.md", size: 3, sha256: "a".repeat(64) }];
  world.append({ type: "node.completed", data: { node: done, worker: "alice", summary: "23", partial: false, files } });
  return { world, state: world.state, agent: world.state.agent!.id, done };
}

describe("the sidebar", () => {
  test("lists the pages of the agent that is open, in the order of the list, and who works in it", async () => {
    const { state, agent } = team();
    const words = wordsOf(await draw(<Sidebar />, { states: [state], at: `/agents/${agent}/talk` }));
    expect(words).toContain("Graph Timeline Documents Files Memory Soul Decisions Triggers Cost");
    expect(words).toMatch(/Coordinator.*Alice.*Bob.*Channel/);
    expect(words).toContain("Live");
  });

  test("shows no coordinator where nobody leads: the channel comes first and is the main thread", async () => {
    const { state } = leaderless({ kickoff: "@Rae please review" });
    const markup = await draw(<Sidebar />, { states: [state], at: "/agents/review/talk" });
    expect(wordsOf(markup)).toMatch(/review Channel R Rae C Cody Graph/);
    expect(markup).not.toContain("Coordinator");
    expect(markup).toMatch(/<a[^>]*class="row on"[^>]*><svg[^>]*><use href="#i-hash"/);
    expect(markup).toContain('href="/agents/review/talk?with=rae"');
  });

  test("counts what needs the human, without what was answered a moment ago", async () => {
    const { world, state, agent } = team();
    world.append(
      { type: "question.asked", data: { question: "q1", by: "alice", text: "Which colour?" } as never },
      "alice",
    );
    const open = await draw(<Sidebar />, { states: [state] });
    expect(open).toMatch(/data-testid="needs-count"[^>]*>1</);
    const held = [{ key: "k", batch: "b", agent, question: "q1", asked_at: state.questions.get("q1")!.asked_at }];
    expect(await draw(<Sidebar />, { states: [state], held: held as never })).not.toContain("needs-count");
  });

  test("says that it is offline", async () => {
    expect(wordsOf(await draw(<Sidebar />, { link: { status: "offline" } }))).toContain("Offline");
  });
});

describe("the header", () => {
  test("leads to the views with their keys and names the page that is open", async () => {
    const { state, agent } = team();
    const markup = await draw(<AgentHeader />, { states: [state], at: `/agents/${agent}/files` });
    expect(wordsOf(markup)).toMatch(/^Files .*Talk T Graph G Timeline L/);
    expect(markup).toContain(`href="/agents/${agent}/graph"`);
  });
});

describe("the bar on a phone", () => {
  test("leads to the pages that are for it; without an agent to a new one", async () => {
    const { state } = team();
    expect(wordsOf(await draw(<PhoneBar />, { states: [state] }))).toBe("Needs you Talk Graph Files More");
    expect(wordsOf(await draw(<PhoneBar />))).toBe("Needs you New agent More");
  });
});

describe("beside a thread", () => {
  test("what was published is listed with who made it; beside a worker's thread with its node, and only the worker's own", async () => {
    const { state, agent } = team();
    const run = await draw(<Rail agent={agent} state={state} />, { states: [state], at: `/agents/${agent}/talk` });
    expect(wordsOf(run)).toMatch(/Published 1 file vendors\.md Alice$/);
    expect(run).toContain("published/out/vendors.md");
    const of = async (id: string) => {
      const one = state.participants.get(id) as never;
      const part = <WorkerRail agent={agent} state={state} one={one} open={() => undefined} />;
      return wordsOf(await draw(part, { states: [state], at: `/agents/${agent}/talk` }));
    };
    expect(await of("alice")).toMatch(/1 done.*Published 1 file vendors\.md n1$/);
    expect(await of("bob")).not.toContain("Published");
  });
});

/** The soul of an agent, drawn from what the daemon answers. */
import { expect, test } from "vitest";
import type { SoulProposal } from "../../schema/soul.ts";
import { draw, wordsOf } from "../draw.test-help.tsx";
import { SoulProposals } from "./proposals.tsx";
import { SoulTeams } from "./teams.tsx";
import { SoulVersions } from "./versions.tsx";

const at = "2026-01-01T00:00:00.000Z";
const open: SoulProposal = {
  ...{ id: "sp1", line: "Answers in German.", why: "You said so 2 times.", basis: "words", at, status: "open" },
  evidence: [{ run: "r1", seq: 12, text: "Always answer in German, please." }],
};
const given = { agent: "a1", fixed: false, changed: () => undefined };

test("a proposal shows its line, why, and its evidence with the place in the log; one that was decided can be unfolded", async () => {
  const declined: SoulProposal = {
    ...open,
    id: "sp2",
    line: "Says arr.",
    status: "declined",
    reason: "no",
    ended_at: at,
  };
  const html = await draw(<SoulProposals {...given} proposals={[open, declined]} />);
  expect(html).toContain("Answers in German.");
  const words = wordsOf(html);
  for (const text of ["You said so 2 times.", "r1, event 12", "Always answer in German, please.", "Add this line"])
    expect(words).toContain(text);
  expect(words).toContain("Decided (1)");
  expect(wordsOf(await draw(<SoulProposals {...given} proposals={[]} />))).toContain("Only you accept it");
});

test("a version shows what came of the work while it held; only an earlier one that was saved can be restored", async () => {
  const results = { runs: 2, completed: 5, failed: 1, messages: 4, corrections: 1, usd: 0.5 };
  const shared = { at, by: "human", results };
  const html = await draw(
    <SoulVersions
      {...given}
      versions={[
        { ...shared, seq: 9, current: true, readable: true },
        { ...shared, seq: 4, current: false, readable: false },
      ]}
    />,
  );
  const words = wordsOf(html);
  expect(words).toMatch(/nodes done\s*5/);
  expect(words).toMatch(/corrections\s*1 of 4 messages/);
  expect(words.match(/Restore/g)).toHaveLength(1);
  expect(html).toMatch(/<button[^>]*disabled[^>]*>[^<]*Restore/);
});

test("a guest is shown with its teams, the run, its name there, and whether something of it is open", async () => {
  const one = { team: "review", as: "Alice", run: "r2", since: at, upto: 9, entry: 3, handled: 4, turns: 0 };
  const html = await draw(<SoulTeams teams={[one, { ...one, team: "deploy", handled: 9 }]} />);
  expect(wordsOf(html)).toMatch(/review as Alice , r2 has a message to handle .*deploy as Alice , r2 nothing open/);
  expect(html).toContain("/agents/review/talk");
  expect(await draw(<SoulTeams teams={[]} />)).toBe("");
});

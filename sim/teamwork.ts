/** What a model does with others: documents that several write at once, votes, and the teams of other agents in which it takes part. */
import type { SimRandom } from "./random.ts";

type Call = [tool: string, input: unknown];

/** `teams`: agents in whose teams this one may be a guest. */
export function chooseTogether(dice: SimRandom, voters: readonly string[], teams: readonly string[]): Call {
  const team = teams.length && dice.chance(0.7) ? dice.pick(teams) : undefined;
  const there = team === undefined ? {} : { team };
  if (team !== undefined && dice.chance(0.4)) {
    const who = dice.pick(["@Ann ", "@all ", "", "@nobody "]);
    return ["send_message", { to: `agent:${team}`, content: `${who}reply ${dice.int(1000)}` }];
  }
  const name = dice.pick(["notes.md", "notes.md", "facts.md", "../x.md"]);
  const p = `p${1 + dice.int(3)}`;
  const content = `line ${dice.int(100_000)}`;
  return dice.pick<() => Call>([
    () => ["document_append", { name, content, ...there }],
    () => ["document_append", { name, content, ...there }],
    () => ["document_write", { name, content, ...(dice.chance(0.8) ? { base: 1 + dice.int(3) } : {}), ...there }],
    () => ["document_read", { name, ...there }],
    () => ["document_list", there],
    () => ["document_own", { name, ...(dice.chance(0.3) ? { owner: dice.pick(voters) } : {}) }],
    () => ["proposal_list", there],
    () => ["proposal_create", { ...drawProposal(dice, voters), ...there }],
    () => ["proposal_create", { ...drawProposal(dice, voters), ...there }],
    () => ["vote", drawVote(dice, team === undefined ? p : `${team}/${p}`, voters)],
    () => ["vote", drawVote(dice, team === undefined ? p : `${team}/${p}`, voters)],
    () => ["proposal_delegate", { proposal_id: p, to: dice.pick(voters) }],
    () => ["proposal_withdraw", { proposal_id: p }],
  ])();
}

/** A vote on what has just come up; undefined if nothing has. */
export function voteAsked(dice: SimRandom, entries: readonly { from: string; text: string }[]): Call | undefined {
  const asked = entries.flatMap(({ from, text }) => {
    const [, proposal, options] = /(?:^|\s)(p\d+): .*?\(([^()]+)\)/s.exec(text) ?? [];
    const team = from.startsWith("agent:") ? `${from.slice("agent:".length)}/` : "";
    return proposal && options ? [{ proposal_id: `${team}${proposal}`, options: options.split(" / ") }] : [];
  });
  if (!asked.length) return undefined;
  const { proposal_id, options } = dice.pick(asked);
  return ["vote", { proposal_id, choice: dice.chance(0.6) ? options[0] : dice.pick([...options, "abstain"]) }];
}

const drawVote = (dice: SimRandom, proposal_id: string, voters: readonly string[]) => ({
  proposal_id,
  choice: dice.pick(["yes", "yes", "no", "approve", "abstain", dice.pick(voters)]),
  ...(dice.chance(0.5) ? { reason: "it is right" } : {}),
});

/** None stays open for longer than a world lasts. */
function drawProposal(dice: SimRandom, voters: readonly string[]): object {
  const [effect, of] = dice.pick([
    ["own", "notes.md"],
    ["assign", `n${1 + dice.int(3)}`],
    ["release", undefined],
    ["lead", undefined],
  ] as const);
  const isBinding = dice.chance(0.5);
  const isElection = isBinding ? effect !== "release" : dice.chance(0.3);
  return {
    question: "what?",
    ...(isElection ? { kind: "election", options: voters.slice(0, 2) } : {}),
    rule: dice.pick(["plurality", "majority", "majority", "unanimous"]),
    quorum: dice.int(3),
    tie: dice.pick(["none", "first", "creator"]),
    ...(dice.chance(0.3) ? { voters: voters.slice(0, 1 + dice.int(2)) } : {}),
    deadline_seconds: 1 + dice.int(20),
    ...(isBinding ? { binding: { effect, ...(of ? { of } : {}) } } : {}),
  };
}

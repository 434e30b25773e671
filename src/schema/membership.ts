/** The teams of other agents' runs in which this agent takes part (`ref` in a workflow), as its own log knows them. */
import { z } from "zod";
import { AgentId, Name, RunId, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";
import { PolicyRule } from "./policy-rule.ts";
import { Ballot } from "./proposal.ts";

const seq = z.number().int().nonnegative();

export const Membership = z
  .object({
    team: AgentId.describe("The agent whose run it is"),
    as: Name.describe("Its name in the team"),
    run: RunId,
    since: Time,
    upto: seq.describe("The last event of the team's log that was sent to it"),
    entry: seq.describe("That message in its own log"),
    handled: seq.describe("Up to here the team was told that it is handled"),
    turns: z.number().int().nonnegative().describe("Turns since the oldest message that is not handled"),
    max_turns: z.number().int().positive().optional(),
    policy: z.array(PolicyRule).optional().describe("The team's rules for tool calls that act in it"),
  })
  .describe("A team in which a lasting agent takes part");
export type Membership = z.infer<typeof Membership>;

const membershipEvents = {
  "membership.handled": z
    .object({ team: AgentId, upto: z.number().int().positive() })
    .describe("What the team sent is handled; the team is told"),
  "membership.voted": Ballot.extend({ team: AgentId }).describe("Its vote is on its way to the team"),
};

const membershipCommands = {
  "membership.vote": Ballot.extend({ team: AgentId }),
};

export const membership = defineNoun({
  name: "membership",
  events: membershipEvents,
  commands: membershipCommands,
  state: () => ({ memberships: new Map<string, Membership>() }),
  reference: { Membership },
});

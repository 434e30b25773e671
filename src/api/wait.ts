/** Waiting for an agent, and how it stands when there is nothing left to wait for. */
import { z } from "zod";
import { standingOf } from "../core/agent/standing.ts";
import { humanInbox } from "../core/human/human-inbox.ts";
import type { State } from "../core/state.ts";
import { ParticipantId, Time } from "../schema/ids.ts";
import { OfAgent, Summary } from "./agents.ts";
import { InboxItem } from "./asking.ts";
import { route } from "./route.ts";
import { summaryOf } from "./summary.ts";
import { longestWait } from "./talk.ts";

const mostSaid = 20;

export const Standing = z
  .object({
    why: z
      .enum(["finished", "failed", "stopped", "archived", "paused", "question", "idle", "working"])
      .describe(
        "finished: its result is in agent.result; paused, failed: see agent.reason; question: it asks the human; idle: it has answered, see said, or waits for a time or an event; working: the time was over and it still works",
      ),
    agent: Summary,
    said: z
      .array(z.object({ by: ParticipantId, at: Time, text: z.string() }))
      .describe(
        `What it and its workers told the human since the human last wrote, oldest first; the newest ${mostSaid}`,
      ),
    turns: z.number().int().describe("How many turns its participants have taken in this run"),
    questions: z.array(InboxItem).describe("What it asks the human: questions and approvals that can be answered"),
  })
  .describe("The state of an agent's work");
export type Standing = z.infer<typeof Standing>;

/** Of its state alone. */
export function standingView(state: State): Standing {
  const { channel } = state;
  const spoke = channel.findLast(({ from }) => from === "human")?.seq ?? 0;
  return {
    why: standingOf(state).is,
    agent: summaryOf(state),
    said: channel
      .filter(({ seq, from, to }) => seq > spoke && from !== "human" && to.includes("human"))
      .slice(-mostSaid)
      .map(({ from: by, at, text }) => ({ by, at, text })),
    turns: [...state.participants.values()].reduce((sum, one) => sum + (one.kind === "human" ? 0 : one.turns), 0),
    questions: humanInbox(state, 0)
      .items.filter(({ kind }) => kind === "question" || kind === "approval")
      .map((item) => ({ agent: state.agent!.id, ...item })),
  };
}

/** How far it is, in a line. */
export function progressOf({ nodes, participants }: State): string {
  const all = [...nodes.values()];
  const done = all.filter(({ status }) => status === "completed").length;
  const busy = [...participants.values()].filter((one) => one.kind !== "human" && one.turn).map(({ name }) => name);
  return `${done} of ${all.length} nodes completed; at work: ${busy.join(", ") || "nobody"}`;
}

export const waitRoutes = {
  waitForAgent: route({
    method: "GET",
    path: "/agents/{agent}/wait",
    tag: "talk",
    summary: "Wait until an agent is done, stands still or asks something",
    about:
      "Answers as soon as there is nothing left to wait for, at the latest after `seconds`; `seconds=0` only looks. With `Accept: text/event-stream` it says how far it is: `progress` events, then one `standing`, which is the answer.",
    params: OfAgent,
    query: z.object({
      seconds: z.coerce.number().min(0).max(longestWait).default(50).describe(`At most ${longestWait}`),
      until: z
        .enum(["anything", "question", "rest"])
        .default("anything")
        .describe(
          "anything: it is done, stands still, asks or is idle; question: it asks, or nothing comes any more by itself; rest: nobody works and nothing comes any more by itself, also if it asks",
        ),
    }),
    ok: 200,
    answer: Standing,
    last: "standing",
    errors: ["not_found"],
    tools: [
      {
        name: "agent_get",
        title: "Look at an agent",
        about:
          "One agent: status, why it stands still if it does, what it said to the human, what it asks, cost, and its result once it is done.",
        fixed: { seconds: 0 },
        without: ["until"],
      },
      {
        name: "run_wait",
        title: "Wait for an agent",
        about:
          "Wait until an agent's run is finished, paused, has answered or asks the human something; at most timeout_seconds. What it told the human is in said, its result in agent.result. If why is working it was not done in time: call it again.",
        fields: {
          seconds: {
            as: "timeout_seconds",
            shape: z.number().positive().max(longestWait).default(50).describe("Many clients give up after 60 seconds"),
          },
        },
        without: ["until"],
      },
    ],
  }),
};

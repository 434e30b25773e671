import { z } from "zod";
import { findNode } from "../core/lookup.ts";
import { isWorker } from "../core/team/worker.ts";
import { Problem } from "../schema/problem.ts";
import { type Binding, proposal } from "../schema/proposal.ts";
import { defineTool, type ToolContext } from "../toolkit/tool.ts";
import { findDocument } from "./document-read.ts";

const { kind, text, options, voters, rule, quorum, tie, weights } = proposal.commands["proposal.create"].shape;

/** An open vote keeps a run from ending, so none stays open for ever. */
const usualSeconds = 3_600;
const mostSeconds = 30 * 86_400;
const mostReview = 3_650 * 86_400;

export const proposalCreate = defineTool({
  name: "proposal_create",
  about: "Put a question to a vote. Returns at once; you and the voters are told the result.",
  guidance:
    "For what several must agree on and no one should decide alone. Say in the question what follows from each option. Everyone votes, the human too, unless you name voters; vote yourself with vote. " +
    "Do not wait for the result if you can go on.",
  effect: "state",
  repeatable: true,
  offer: { when: ["leaderless"], words: "ballot, decide together, election", cues: "vote, poll, consensus" },
  progress: "words",
  input: z.object({
    question: text,
    kind,
    options: options.optional().describe("If missing: by its kind yes and no, approve and reject, or the workers"),
    rule,
    quorum,
    tie,
    voters,
    weights,
    review_seconds: z.number().positive().max(mostReview).optional().describe("When to ask whether it is still right"),
    deadline_seconds: z.number().positive().max(mostSeconds).default(usualSeconds),
    binding: z
      .object({
        effect: z.enum(["own", "assign", "merge", "release", "lead", "budget"]),
        of: z.string().min(1).optional().describe("The document, the node, or the new budget in dollars"),
      })
      .optional()
      .describe(
        "What the runtime does: own: the winner owns the document; assign: the winner does the node; merge: the node is merged only if the first option wins; release: the run is finished only then; lead: the winner leads a run without a coordinator; budget: the run may spend so much if the human agrees. Needs rule majority or unanimous and all voters, unless you lead",
      ),
  }),
  async run({ question, options: given, deadline_seconds, binding: wanted, ...rest }, context) {
    const { dispatch, state } = context;
    const binding = wanted && bindingOf(context, wanted);
    const { made } = await dispatch({
      type: "proposal.create",
      text: question,
      options: given ?? usualOptions(context, rest.kind),
      ...rest,
      ...(binding ? { binding } : {}),
      expires_seconds: deadline_seconds,
    });
    return JSON.stringify({ proposal_id: made.proposal, voters: state().proposals.get(made.proposal!)?.voters });
  },
});

function usualOptions({ state }: ToolContext, of: "decision" | "election" | "approval" | "assignment"): string[] {
  if (of === "decision") return ["yes", "no"];
  if (of === "approval") return ["approve", "reject"];
  return [...state().participants.values()].flatMap((one) => (isWorker(one) && !one.retired ? [one.name] : []));
}

function bindingOf(
  context: ToolContext,
  { effect, of }: { effect: Binding["effect"]; of?: string | undefined },
): Binding {
  if (effect === "release" || effect === "lead") return { effect };
  if (of === undefined) throw new Problem("invalid", `binding: ${effect} needs of: ${neededFor[effect]}`);
  if (effect === "own") return { effect, document: findDocument(context, of).name };
  if (effect !== "budget") return { effect, node: findNode(context.state(), of).id };
  const usd = Number(of.replace("$", ""));
  if (Number.isFinite(usd) && usd >= 0) return { effect, limit: { usd } };
  throw new Problem("invalid", `binding: ${JSON.stringify(of)} is not an amount of dollars`);
}

const neededFor = { own: "the document", assign: "the node", merge: "the node", budget: "dollars" };

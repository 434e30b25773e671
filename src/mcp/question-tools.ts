/** What agents ask the human, and the answer. */
import { z } from "zod";
import { answerable } from "../core/question.ts";
import { QuestionId } from "../schema/ids.ts";
import { assertKnown } from "./agent-tools.ts";
import { OpenQuestion, openQuestions } from "./open-questions.ts";
import { defineHumanTool, OneAgent } from "./tool.ts";

export const questionList = defineHumanTool({
  name: "question_list",
  title: "List open questions",
  about:
    "What agents ask the human and wait for, of one agent or of all. Put them to your user; do not decide an approval yourself.",
  reads: true,
  input: z.strictObject({ agent: OneAgent.shape.agent.optional() }),
  output: z.object({ questions: z.array(OpenQuestion) }),
  async run({ agent }, { house: { runtime } }) {
    if (agent !== undefined) assertKnown(runtime, agent);
    const usable = agent === undefined ? runtime.agents().filter((id) => !runtime.fault(id)) : [agent];
    const questions: OpenQuestion[] = [];
    for (const id of usable) questions.push(...(await runtime.read(id, openQuestions)));
    return { questions };
  },
});

export const questionAnswer = defineHumanTool({
  name: "question_answer",
  title: "Answer a question",
  about:
    "Your user's answer to what an agent asked. It counts as the human's own word. An approval is decided by the human themselves, unless the config of the home lets programs do so: then allow, or deny and why.",
  reads: false,
  input: OneAgent.extend({
    question: QuestionId.optional().describe("Its id; may be missing if exactly one is open"),
    answer: z.string().min(1).max(100_000),
    remember: z
      .boolean()
      .optional()
      .describe("Of an approval: decide for every further such call of this asker in this run"),
  }),
  output: z.object({ seq: z.number().int(), left: z.array(OpenQuestion).describe("What is still open") }),
  async run({ agent, question, answer, remember }, { house: { runtime, approvals = false } }) {
    assertKnown(runtime, agent);
    const found = await runtime.read(agent, (state) => answerable(state, question, "mcp", approvals)?.id);
    const { seq } = await runtime.send(
      agent,
      { type: "question.answer", question: question ?? found, answer, remember },
      { actor: "human" },
    );
    return { seq, left: await runtime.read(agent, openQuestions) };
  },
});

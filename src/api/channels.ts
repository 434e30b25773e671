/** Answers from outside: a program that was told of a question over a signed webhook answers it the same way. */
import { z } from "zod";
import { AgentId, QuestionId } from "../schema/ids.ts";
import { route } from "./route.ts";

export const ChannelAnswer = z.strictObject({
  agent: AgentId,
  question: QuestionId,
  answer: z.string().min(1).max(100_000),
  remember: z
    .boolean()
    .optional()
    .describe("For an approval: apply it to all calls of this tool by the same participant in this run"),
});

export const channelRoutes = {
  answerFromChannel: route({
    method: "POST",
    path: "/channels/{channel}/answers",
    tag: "asking",
    summary: "Answer a question through a channel",
    about:
      "Instead of a token it needs a signature with the channel's secret: `Agiraph-Signature: t=SECONDS,v1=HEX`, HMAC-SHA256 over `SECONDS.BODY`, " +
      "not older than five minutes. The body is JSON: `{agent, question, answer, remember?}`. A repeated answer counts once.",
    params: z.object({ channel: z.string().min(1).max(64) }),
    upload: "application/json",
    ok: 200,
    answer: z.object({ question: QuestionId, answer: z.string(), seq: z.number().int() }),
    errors: ["not_found", "wrong_state", "too_large"],
    open: true,
  }),
};

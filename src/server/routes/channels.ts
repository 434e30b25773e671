/** Answers from channels, over HTTP. The holder of a channel's secret may answer what was asked there, and nothing else. */
import { ChannelAnswer, type channelRoutes } from "../../api/channels.ts";
import { Problem } from "../../schema/problem.ts";
import { parseBody, readText } from "../body.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { channelBytes } from "../limits.ts";
import { assertKnown } from "./agents.ts";

export const channelHandlers = ({ runtime, clock, channel: signed }: Served): Handlers<typeof channelRoutes> => ({
  async answerFromChannel({ params: { channel }, request }) {
    const header = request.headers.get("agiraph-signature") ?? undefined;
    const text = (await readText(request, clock, channelBytes)) ?? "";
    if (!signed)
      throw new Problem("forbidden", "this home has no channel that takes answers here, or the signature is missing");
    signed(channel, header, text);
    const said = ChannelAnswer.safeParse(parseBody(text));
    if (!said.success)
      throw new Problem("invalid", `body ${said.error.issues[0]?.path.join(".")}: ${said.error.issues[0]?.message}`);
    const { agent, ...given } = said.data;
    assertKnown(runtime, agent);
    // The signature covers this body at this time: the same request again is the same answer.
    const key = `channel/${channel}/${header}`;
    const { seq } = await runtime.send(agent, { type: "question.answer", ...given }, { actor: "human", key });
    return { question: given.question, answer: given.answer, seq };
  },
});

/** Comments on the lines of a node's change: what was said, also what is not sent yet, and to whom a new one goes. */
import { useMemo } from "react";
import { commentsOn, commentText, listenerOf } from "../../core/file/line-comment.ts";
import type { State } from "../../core/state.ts";
import type { Message } from "../../schema/message.ts";
import type { Talk } from "../diff/diff-view.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { useFollowed } from "../store/follow.ts";
import { useOutbox } from "../store/hooks.ts";
import { mainThread } from "../store/main-thread.ts";
import type { Unsent } from "../talk/outbox.ts";
import { wakeOf } from "../talk/wake.ts";

/** `node`: the coordinator's if missing. */
export function useLineTalk(agent: string, state: State | undefined, node: string | undefined): Talk | undefined {
  const outbox = useOutbox();
  const unsent = useFollowed(outbox.subscribe, outbox.all);
  const of = node ?? "merged";
  const channel = state?.channel;
  const on = useMemo(() => {
    const waiting = unsent.flatMap((one, nth) =>
      one.agent === agent && !isThere(channel, one) ? [messageOf(one, nth)] : [],
    );
    const found = commentsOn([...(channel ?? []), ...waiting], of);
    for (const thread of found.values())
      for (const one of thread) if (one.seq > notYet) one.unsent = unsent[one.seq - notYet - 1]?.why ?? "not sent yet";
    return found;
  }, [channel, channel?.length, unsent, agent, of]);
  if (!state) return undefined;
  const to = listenerOf(state, node) ?? mainThread(state);
  const wake = wakeOf(state, "", to);
  return {
    ...{
      state,
      on,
      of: `${agent}.${of}`,
      wakes: to === "channel" ? `Goes ${wake.words}` : `${whoIs(state, to).name} ${wake.words}`,
    },
    ...(wake.deaf ? { why: wake.words } : {}),
    say: (at, line, text) =>
      outbox.add({
        ...{ agent, of: to, text: commentText(of, at, line, text), attached: [] },
        ...(to === mainThread(state) ? {} : { to }),
      }),
  };
}

/** Its event may arrive before the answer to the request that sent it. */
export const isThere = (channel: readonly Message[] | undefined, { status, text }: Pick<Unsent, "status" | "text">) =>
  status === "sending" && channel?.some((message) => message.from === "human" && message.text === text) === true;

/** Above every seq of a log. */
const notYet = 1e15;

const messageOf = ({ id, text, at }: { id: string; text: string; at: string }, nth: number): Message => ({
  ...{ id, text, at, seq: notYet + nth + 1, from: "human", to: ["coordinator"], priority: "normal" },
});

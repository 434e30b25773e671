/** The thread: its events, answers that are streaming, and what is new. */
import { useMemo } from "react";
import type { State } from "../../core/state.ts";
import { Empty, Loading } from "../parts/status/states.tsx";
import { useEvents, useStreaming } from "../store/hooks.ts";
import { createThread } from "./thread.ts";
import { ThreadRows } from "./thread-rows.tsx";

interface Given {
  agent: string;
  of: string;
  state: State | undefined;
  resultsOnly: boolean;
  unread?: readonly [number, number];
}

export function ThreadView({ agent, of, state, resultsOnly, unread }: Given) {
  const { events, status, more, earlier } = useEvents(agent);
  const streaming = useStreaming(agent);
  const thread = useMemo(
    () => createThread({ of, resultsOnly, ...(unread ? { unread } : {}) }),
    [of, resultsOnly, unread],
  );
  const items = useMemo(() => {
    const all = thread(events);
    // Where the day really begins is not here yet. Such a line goes when it comes, and what one reads would lose its hold.
    return more && all[0]?.kind === "day" ? all.slice(1) : all;
  }, [thread, events, more]);
  const speaking = of === "channel" ? [] : speakers(state, of, streaming);
  if (status === "loading" || status === "unread") return <Loading rows={6} />;
  if (items.length === 0 && speaking.length === 0)
    return (
      <Empty title={of === "channel" ? "No messages yet" : "Nothing here yet"} icon="talk">
        <p>Messages and tool calls appear here as they happen.</p>
      </Empty>
    );
  return (
    <ThreadRows
      agent={agent}
      of={of}
      state={state}
      items={items}
      speaking={speaking}
      streaming={streaming}
      earlier={more ? () => void earlier() : undefined}
    />
  );
}

/** Who is saying something in this thread right now. */
function speakers(state: State | undefined, of: string, streaming: Readonly<Record<string, unknown>>): string[] {
  const one = state?.participants.get(of);
  const calls =
    one &&
    one.kind !== "human" &&
    one.turn?.status === "calling" &&
    !one.turn.retry &&
    state?.agent?.status === "active";
  return calls || of in streaming ? [of] : [];
}

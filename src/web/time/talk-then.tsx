/** A thread as it was after an event: the same items, to be read only. Made when the slider has a moment's rest. */
import { useMemo } from "react";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Empty } from "../parts/status/states.tsx";
import { NamedContext } from "../parts/text/named.tsx";
import { threadOf } from "../talk/thread.ts";
import { ThreadRows } from "../talk/thread-rows.tsx";
import { useCalm } from "./calm.ts";

interface Given {
  agent: string;
  events: readonly Event[];
  state: State;
  /** coordinator, a worker's id, or channel. */
  of: string;
  choose(id: string): void;
  toLive(): void;
}

export function TalkThen({ agent, events, state, of, choose, toLive }: Given) {
  const then = useCalm(state);
  const items = useMemo(() => threadOf(events.slice(0, then.seq), { of }), [events, then, of]);
  const named = useMemo(() => ({ agent, open: choose, past: then }), [agent, then]);
  return (
    <NamedContext value={named}>
      <div className="col" data-thread={of} data-then={then.seq}>
        {items.length ? (
          <ThreadRows key={of} agent={agent} of={of} state={then} items={items} past />
        ) : (
          <Empty title={nothing(then, of)} icon="talk" />
        )}
        <div className="dock read-only">
          <p>
            <Icon name="eye" size={14} />
            <span className="grow">You are viewing the past; it is read-only.</span>
            <Button onClick={toLive}>Back to live</Button>
          </p>
        </div>
      </div>
    </NamedContext>
  );
}

function nothing(then: State, of: string): string {
  if (of === "channel") return "No messages yet at that time";
  if (of !== "coordinator" && !then.participants.has(of)) return `${of} had not joined yet`;
  return "Nothing had happened here yet";
}

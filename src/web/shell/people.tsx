/** Who works in an agent: the coordinator, its workers, and the channel that everyone reads. */
import { Link } from "@tanstack/react-router";
import type { State } from "../../core/state.ts";
import { Avatar, whoIs } from "../parts/avatar.tsx";
import { Icon } from "../parts/icon.tsx";
import { personLook, StatusDot } from "../parts/status.tsx";
import { unreadFrom } from "../store/unread.ts";

export function People({ agent, state }: { agent: string; state: State | undefined }) {
  const people = state ? [...state.participants.values()].filter((one) => one.kind !== "human") : [];
  const shown = people.length ? people : [undefined];
  return (
    <>
      {shown.map((one) => {
        const who = whoIs(state, one?.id ?? "coordinator");
        const { look, word } = state && one ? personLook(state, one) : { look: "pending" as const, word: "Loading" };
        const unread = state ? unreadFrom(state, who.id) : { count: 0, asks: false };
        return (
          <Link
            key={who.id}
            className="row"
            to="/agents/$agent/talk"
            params={{ agent }}
            search={who.kind === "coordinator" ? {} : { with: who.id }}
            activeOptions={{ exact: true, includeSearch: true }}
            activeProps={{ className: "on" }}
            data-person={who.id}
          >
            <Avatar who={who} />
            <span className="name">{who.name}</span>
            {one && "node" in one && one.node ? <span className="sub">{one.node.split("-")[0]}</span> : null}
            {unread.count ? <span className={`badge ${unread.asks ? "amber" : ""}`}>{unread.count}</span> : null}
            <StatusDot look={look} word={word} />
          </Link>
        );
      })}
      <Link
        className="row"
        to="/agents/$agent/talk"
        params={{ agent }}
        search={{ with: "channel" }}
        activeOptions={{ exact: true, includeSearch: true }}
        activeProps={{ className: "on" }}
      >
        <Icon name="hash" />
        <span className="name">Channel</span>
      </Link>
    </>
  );
}

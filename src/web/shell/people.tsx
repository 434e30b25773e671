/** Who works in an agent: the coordinator, its workers, and the channel that everyone reads; it comes first where nobody leads. */
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { State } from "../../core/state.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { personLook, StatusDot } from "../parts/status/status.tsx";
import { mainThread, threadSearch } from "../store/main-thread.ts";
import { unreadFrom } from "../store/unread.ts";

export function People({ agent, state }: { agent: string; state: State | undefined }) {
  if (!state)
    return (
      <div className="row wait" role="img" aria-label="Loading">
        <i />
      </div>
    );
  const people = [...state.participants.values()].filter((one) => one.kind !== "human");
  const main = mainThread(state);
  if (main === "channel")
    return (
      <>
        <Channel agent={agent} state={state} />
        {people.map((one) => (
          <Person key={one.id} agent={agent} state={state} id={one.id} />
        ))}
      </>
    );
  return (
    <>
      {people.length ? null : <Person agent={agent} state={state} id={main} />}
      {people.map((one) => (
        <Person key={one.id} agent={agent} state={state} id={one.id} />
      ))}
      <Channel agent={agent} state={state} />
    </>
  );
}

interface Given {
  agent: string;
  state: State;
}

function Person({ agent, state, id }: Given & { id: string }) {
  const one = state.participants.get(id);
  const who = whoIs(state, id);
  const { look, word } =
    one && one.kind !== "human" ? personLook(state, one) : { look: "pending" as const, word: "Not started" };
  const unread = unreadFrom(state, id);
  return (
    <Link
      className="row"
      to="/agents/$agent/talk"
      params={{ agent }}
      search={threadSearch(state, id)}
      activeOptions={{ exact: true, includeSearch: true }}
      activeProps={{ className: "on" }}
      data-person={id}
    >
      <Avatar who={who} />
      <span className="name">{who.name}</span>
      {one && "node" in one && one.node ? <span className="sub">{one.node.split("-")[0]}</span> : null}
      {unread.count ? <span className={`badge ${unread.asks ? "amber" : ""}`}>{unread.count}</span> : null}
      <StatusDot look={look} word={word} />
    </Link>
  );
}

function Channel({ agent, state }: Given) {
  const { agent: current } = useParams({ strict: false });
  const { with: of } = useSearch({ strict: false });
  return (
    <Link
      className="row"
      to="/agents/$agent/talk"
      params={{ agent }}
      // Also while the address names it although it need not.
      search={current === agent && of === "channel" ? { with: of } : threadSearch(state, "channel")}
      activeOptions={{ exact: true, includeSearch: true }}
      activeProps={{ className: "on" }}
    >
      <Icon name="hash" />
      <span className="name">Channel</span>
    </Link>
  );
}

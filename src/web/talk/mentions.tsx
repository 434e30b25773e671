/** Names that an @ may mean, docked in the composer: nothing is covered. */
import type { State } from "../../core/state.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { personLook } from "../parts/status/status.tsx";
import { wakeOf } from "./wake.ts";

export interface Candidate {
  id: string;
  name: string;
  about: string;
  /** What it does to them. */
  wakes: string;
}

export function candidates(state: State, typed: string): Candidate[] {
  const everyone: Candidate = {
    id: "*",
    name: "all",
    about: `everyone in ${state.run?.id ?? "the run"}`,
    wakes: wakeOf(state, "@all x", "channel").words,
  };
  const people = [...state.participants.values()].flatMap((one) =>
    one.kind === "human" || one.retired
      ? []
      : [
          {
            id: one.id,
            name: whoIs(state, one.id).name,
            about: one.node ? `works on ${one.node}` : personLook(state, one).word.toLowerCase(),
            wakes: wakeOf(state, "", one.id).words,
          },
        ],
  );
  const wanted = typed.toLowerCase();
  return [...people, everyone]
    .filter(({ id, name }) => name.toLowerCase().startsWith(wanted) || id.startsWith(wanted))
    .slice(0, 6);
}

interface Given {
  state: State;
  found: readonly Candidate[];
  chosen: number;
  choose(one: Candidate): void;
}

export function Mentions({ state, found, chosen, choose }: Given) {
  return (
    <div className="menu" role="listbox" aria-label="Mention" id="mentions">
      {found.map((one, index) => (
        <button
          type="button"
          key={one.id}
          role="option"
          aria-selected={index === chosen}
          className={`mi ${index === chosen ? "on" : ""}`}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(one)}
        >
          {one.id === "*" ? <Icon name="users" size={20} /> : <Avatar who={whoIs(state, one.id)} size={20} />}
          <span className="name">{one.name}</span>
          <span className="d">{one.about}</span>
          <span className="r">
            {one.wakes}
            {index === chosen ? <kbd>↵</kbd> : null}
          </span>
        </button>
      ))}
    </div>
  );
}

/** A button that opens a sheet of choices, and the filter of the graph: text, people, states. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, type Who } from "../parts/status/avatar.tsx";
import { StatusDot } from "../parts/status/status.tsx";
import { keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { type Filter, filters, noFilter, type StateName, stateNames } from "./filter.ts";

const looks = {
  "Waits for you": "waiting",
  Pending: "pending",
  Working: "working",
  Done: "done",
  Failed: "failed",
} as const;

interface Sheet {
  word: string;
  label: string;
  count: number;
  /** On which side of the button it opens. */
  right?: boolean;
  open: boolean;
  setOpen(open: boolean): void;
  children: ReactNode;
}

export function Choices({ word, label, count, right = false, open, setOpen, children }: Sheet) {
  const box = useRef<HTMLDivElement>(null);
  useKey(keyMap.close, () => {
    if (!open) return false;
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  });
  useEffect(() => {
    if (!open) return;
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !box.current?.contains(target)) setOpen(false);
    };
    addEventListener("pointerdown", leave);
    addEventListener("focusin", leave);
    return () => {
      removeEventListener("pointerdown", leave);
      removeEventListener("focusin", leave);
    };
  }, [open, setOpen]);
  return (
    <div className="choices" ref={box}>
      <Button look="ghost" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="filter" size={14} />
        {word}
        {count ? <span className="badge">{count}</span> : null}
      </Button>
      {open ? (
        <fieldset className={`choices-b ${right ? "right" : ""}`} aria-label={label}>
          {children}
        </fieldset>
      ) : null}
    </div>
  );
}

/** One person or state, chosen or not. */
export function Choice({ on, set, children }: { on: boolean; set(): void; children: ReactNode }) {
  return (
    <label className="choice">
      <input type="checkbox" checked={on} onChange={set} />
      {children}
    </label>
  );
}

export const toggled = <T,>(set: ReadonlySet<T>, one: T): ReadonlySet<T> => {
  const next = new Set(set);
  if (!next.delete(one)) next.add(one);
  return next;
};

interface Given {
  filter: Filter;
  setFilter(filter: Filter): void;
  people: readonly Who[];
  /** How many nodes fit, of how many. */
  found: readonly [fit: number, all: number];
}

export function FilterButton({ filter, setFilter, people, found: [fit, all] }: Given) {
  const [open, setOpen] = useState(false);
  const words = useRef<HTMLInputElement>(null);
  const wanted = useRef(false);
  useKey(keyMap.find, () => {
    wanted.current = true;
    setOpen(true);
    words.current?.focus();
  });
  useEffect(() => {
    if (open && wanted.current) words.current?.focus();
    wanted.current = false;
  }, [open]);
  const count = filters(filter);
  return (
    <Choices word="Filter" label="Filter" count={count} open={open} setOpen={setOpen}>
      <input
        ref={words}
        type="search"
        className="in"
        placeholder="Find a node"
        aria-label="Find a node"
        value={filter.words}
        onChange={({ currentTarget }) => setFilter({ ...filter, words: currentTarget.value })}
      />
      <h4>Person</h4>
      {people.map((who) => (
        <Choice
          key={who.id}
          on={filter.people.has(who.id)}
          set={() => setFilter({ ...filter, people: toggled(filter.people, who.id) })}
        >
          <Avatar who={who} />
          <span className="ell">{who.name}</span>
        </Choice>
      ))}
      <h4>State</h4>
      {stateNames.map((name: StateName) => (
        <Choice
          key={name}
          on={filter.states.has(name)}
          set={() => setFilter({ ...filter, states: toggled(filter.states, name) })}
        >
          <StatusDot look={looks[name]} word={name} size={12} />
          {name}
        </Choice>
      ))}
      <footer>
        <span className="dim num" role="status">
          {fit} of {all}
        </span>
        <span className="grow" />
        <Button look="ghost" disabled={!count} onClick={() => setFilter(noFilter)}>
          Clear
        </Button>
      </footer>
    </Choices>
  );
}

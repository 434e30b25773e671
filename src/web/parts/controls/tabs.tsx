/** A list of tabs: arrow keys, Home and End go from one to the next, and Tab leaves it. What the chosen one shows is the caller's (`role="tabpanel"`). */
import { type KeyboardEvent, useRef } from "react";
import { Icon } from "./icon.tsx";

export interface Tab<Id extends string> {
  id: Id;
  name: string;
  icon?: string;
  count?: number | undefined;
}

interface Given<Id extends string> {
  label: string;
  tabs: readonly Tab<Id>[];
  chosen: Id;
  choose: (id: NoInfer<Id>) => void;
  className?: string;
}

export function Tabs<Id extends string>({ label, tabs, chosen, choose, className = "seg sm" }: Given<Id>) {
  const list = useRef<HTMLDivElement>(null);
  const turn = (event: KeyboardEvent) => {
    const next = tabAfter(
      event.key,
      tabs.findIndex(({ id }) => id === chosen),
      tabs.length,
    );
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    choose(tabs[next]!.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div className={className} role="tablist" aria-label={label} ref={list} onKeyDown={turn}>
      {tabs.map(({ id, name, icon, count }) => (
        <button
          key={id}
          type="button"
          role="tab"
          aria-selected={id === chosen}
          tabIndex={id === chosen ? 0 : -1}
          className={id === chosen ? "on" : ""}
          onClick={() => choose(id)}
        >
          {icon ? <Icon name={icon} size={14} /> : null}
          {name}
          {count ? <span className="n">{count}</span> : null}
        </button>
      ))}
    </div>
  );
}

/** Round and round; undefined: not a key of a list of tabs. */
export function tabAfter(key: string, at: number, count: number): number | undefined {
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1 }[key];
  return to === undefined ? undefined : (to + count) % count;
}

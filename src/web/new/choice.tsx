/** One choice of the bar under the goal: a chip that says what is chosen, over a list of the system's own, so every key works as people know it. */
import type { ReactNode, Ref } from "react";
import { Icon } from "../parts/controls/icon.tsx";

interface Given {
  icon: string;
  label: string;
  value: string;
  /** What the chip says; short. */
  shown: string;
  title?: string | undefined;
  choose(value: string): void;
  children: ReactNode;
  at?: Ref<HTMLSelectElement>;
}

export function Choice({ icon, label, value, shown, title, choose, children, at }: Given) {
  return (
    <label className="chip choice" title={title}>
      <Icon name={icon} size={14} />
      <span className="choice-t">{shown}</span>
      <Icon name="down" size={12} />
      <select ref={at} aria-label={label} value={value} onChange={(event) => choose(event.target.value)}>
        {children}
      </select>
    </label>
  );
}

/** A chip that opens something below the bar. */
export function Opener({
  icon,
  shown,
  label,
  open,
  controls,
  toggle,
  title,
}: {
  icon: string;
  /** Empty: only the picture, named by the label. */
  shown: string;
  label?: string;
  open: boolean;
  controls: string;
  toggle(): void;
  title: string;
}) {
  return (
    <button
      type="button"
      className={`chip choice ${open ? "on" : ""}`}
      aria-label={label}
      aria-expanded={open}
      aria-controls={open ? controls : undefined}
      title={title}
      onClick={toggle}
    >
      <Icon name={icon} size={14} />
      {shown ? (
        <>
          <span className="choice-t">{shown}</span>
          <Icon name={open ? "up" : "down"} size={12} />
        </>
      ) : null}
    </button>
  );
}

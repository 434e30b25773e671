/** Who: the shape says the kind (hexagon coordinator, circle worker, square agent program, ring human), letter and colour say which one. */
import type { CSSProperties } from "react";
import { agentIn } from "../../../core/message/address.ts";
import type { State } from "../../../core/state.ts";
import { Icon } from "../controls/icon.tsx";

export interface Who {
  id: string;
  name: string;
  kind: "human" | "coordinator" | "harnessed" | "autonomous" | "system";
  /** From 1 to 8, by when they joined: nobody shares one while another is free. */
  colour?: number;
}

/** Anyone a text may come from, also those who are gone. */
export function whoIs(state: State | undefined, id: string): Who {
  if (id === "human") return { id, name: "You", kind: "human" };
  if (id === "coordinator") return { id, name: "Coordinator", kind: "coordinator" };
  const one = state?.participants.get(id);
  if (one) return { id, name: one.name, kind: one.kind, colour: (placeOf(state!, id) % colours) + 1 };
  if (agentIn(id) !== undefined) return { id, name: id, kind: "harnessed" };
  return { id, name: id.slice(0, 1).toUpperCase() + id.slice(1), kind: id === "system" ? "system" : "harnessed" };
}

const colours = 8;

/** How many workers joined before. */
function placeOf({ participants }: State, id: string): number {
  let place = 0;
  for (const one of participants.values()) {
    if (one.id === id) break;
    if (one.kind !== "human" && one.id !== "coordinator") place++;
  }
  return place;
}

/** Of those of whom only the name is known. */
function colourOf(id: string): number {
  let sum = 7;
  for (const letter of id) sum = (sum * 31 + letter.codePointAt(0)!) % 9973;
  return (sum % colours) + 1;
}

export function Avatar({ who, size = 18 }: { who: Who; size?: number }) {
  const { id, name, kind } = who;
  const colour = kind === "coordinator" ? "coord" : kind === "human" ? "human" : String(who.colour ?? colourOf(id));
  const style = {
    "--sz": `${size}px`,
    "--f": `var(--p${colour.length === 1 ? colour : `-${colour}`})`,
    "--o": `var(--p${colour.length === 1 ? colour : `-${colour}`}-on)`,
  } as CSSProperties;
  if (kind === "system")
    return (
      <span className="av" style={{ "--sz": `${size}px` } as CSSProperties} role="img" aria-label={name}>
        <Icon name="hash" size={Math.round(size * 0.7)} />
      </span>
    );
  if (kind === "coordinator")
    return (
      <span className="av av-hex" style={style} role="img" aria-label={name}>
        <svg viewBox="0 0 24 24" width="100%" height="100%" aria-hidden="true">
          <path
            d="M12 1.2 21.3 6.6v10.8L12 22.8 2.7 17.4V6.6z"
            fill="var(--f)"
            stroke="var(--f)"
            strokeWidth="1.5"
            strokeLinejoin="round"
          />
          <path d="m12 6.8 1.6 3.4 3.7.5-2.7 2.6.7 3.7-3.3-1.8L8.7 17l.7-3.7-2.7-2.6 3.7-.5z" fill="var(--o)" />
        </svg>
      </span>
    );
  const shape = kind === "human" ? "av-human" : kind === "autonomous" ? "av-square" : "";
  return (
    <span className={`av ${shape}`} style={style} role="img" aria-label={name}>
      <b>{name.slice(0, 1).toUpperCase()}</b>
    </span>
  );
}

/** One note: what it is about, where it comes from, when it was used, and for whom it is. */

import { visibleLine } from "../../lib/text/visible.ts";
import type { Tier, Visibility } from "../../schema/note.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { age, day } from "../parts/text/words.ts";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import type { Note } from "./known.tsx";

interface Given {
  agent: string;
  note: Note;
  now: number;
  open(path: string): void;
  changed(): void;
}

const tiers: Record<Tier, string> = { core: "Always shown", working: "Shown while used", archive: "Found by search" };
const visibilities: Record<Visibility, string> = {
  private: "Only this agent",
  shareable: "Agents that ask",
  public: "Workers too",
};

export function NoteLine({ agent, note, now, open, changed }: Given) {
  const client = useClient();
  const { attempt } = useToasts();
  const { path, subject, source, noted, origin, tier, visibility, used_at } = note;
  const name = visibleLine(subject ?? path.replace(/^memory\//, ""));
  const set = async (head: { tier?: Tier; visibility?: Visibility; trusted?: true }) => {
    if (await attempt(client.setNoteHead({ params: { agent }, body: { path, ...head } }))) changed();
  };
  return (
    <li className={`mem-n ${note.fading}`}>
      <button type="button" className="mem-o" onClick={() => open(path.replace(/^memory\//, ""))}>
        <b className="ell">{name}</b>
        <span className="ell">
          {[noted && `noted ${day(`${noted}T12:00:00.000Z`)}`, source && visibleLine(source)]
            .filter(Boolean)
            .join(", ") || visibleLine(path)}
        </span>
      </button>
      {origin ? (
        <span className="mem-x">
          <Icon name="alert" size={12} />
          <span>
            Written after reading {visibleLine(origin)}: the agent finds it by search, as information only.
            <button type="button" className="lnk" onClick={() => void set({ trusted: true })}>
              I vouch for it
            </button>
          </span>
        </span>
      ) : null}
      <span className="mem-u num" title={`Used ${day(used_at)}`}>
        {age(used_at, now)} ago
      </span>
      <span className={`mem-f ${note.fading}`}>
        {note.fading === "fading" || note.fading === "faded" ? <Icon name="clock" size={12} /> : null}
        {fadingText(note, now)}
      </span>
      <select
        aria-label={`When ${name} is shown`}
        value={tier}
        onChange={({ target }) => void set({ tier: target.value as Tier })}
      >
        {Object.entries(tiers).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <select
        aria-label={`Who is told ${name}`}
        value={visibility}
        onChange={({ target }) => void set({ visibility: target.value as Visibility })}
      >
        {Object.entries(visibilities).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </li>
  );
}

function fadingText({ fading, fades_at, tier }: Note, now: number): string {
  if (fading === "faded") return tier === "archive" ? "put away" : "faded";
  if (fading !== "fading" || !fades_at) return "";
  return `fades in ${Math.max(1, Math.ceil((Date.parse(fades_at) - now) / 86_400_000))} d`;
}

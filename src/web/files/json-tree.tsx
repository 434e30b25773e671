/** JSON as a collapsible tree with the first levels open. Long lists show only their beginning. */
import { useState } from "react";
import { plural } from "../parts/text/words.ts";

export function JsonTree({ value }: { value: unknown }) {
  return (
    <div className="js">
      <Value name={undefined} value={value} depth={0} />
    </div>
  );
}

const most = 200;

function Value({ name, value, depth }: { name: string | undefined; value: unknown; depth: number }) {
  const [open, setOpen] = useState(depth < 2);
  const [all, setAll] = useState(false);
  const label = name === undefined ? null : <span className="k">{name}: </span>;
  if (typeof value !== "object" || value === null)
    return (
      <div className="leaf">
        {label}
        <span className={typeof value === "string" ? "s" : "v"}>{JSON.stringify(value)}</span>
      </div>
    );
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {label}
        <span className="dim">
          {isList ? `[${plural(entries.length, "item")}]` : `{${plural(entries.length, "field")}}`}
        </span>
      </summary>
      {open ? (
        <ul>
          {entries.slice(0, all ? undefined : most).map(([key, one]) => (
            <li key={key}>
              <Value name={key} value={one} depth={depth + 1} />
            </li>
          ))}
          {!all && entries.length > most ? (
            <li>
              <button type="button" className="lnk" onClick={() => setAll(true)}>
                and {entries.length - most} more
              </button>
            </li>
          ) : null}
        </ul>
      ) : null}
    </details>
  );
}

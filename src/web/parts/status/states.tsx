/** What stands where nothing can be shown: empty says one step, an error names the thing and the way on, loading waits before it is seen. */
import { type ReactNode, useEffect, useState } from "react";
import type { Problem } from "../../../schema/problem.ts";
import { after } from "../../platform.ts";
import { Icon } from "../controls/icon.tsx";

export function Empty({ title, children, icon = "sparkle" }: { title: string; children?: ReactNode; icon?: string }) {
  return (
    <div className="blank">
      <Icon name={icon} size={20} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Failed({
  what,
  problem,
  children,
}: {
  what: string;
  problem?: Problem | undefined;
  children?: ReactNode;
}) {
  return (
    <div className="blank" role="alert">
      <Icon name="alert" size={20} className="failed-ink" />
      <h2>{what}</h2>
      {problem ? <p>{problem.message}</p> : null}
      {children}
    </div>
  );
}

/** Grey shapes of the layout, after a moment. */
export function Loading({ rows = 4 }: { rows?: number }) {
  const [seen, setSeen] = useState(false);
  useEffect(() => after(200, () => setSeen(true)), []);
  if (!seen) return null;
  return (
    <div className="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <i key={row} style={{ width: `${88 - ((row * 37) % 45)}%` }} />
      ))}
    </div>
  );
}

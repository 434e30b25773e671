/** Shares as bars in one hue, each with its number. */
import type { ReactNode } from "react";

export interface Share {
  key: string;
  name: ReactNode;
  part: number;
  value: string;
}

/** `most`: what a full bar is; the largest of them if missing. */
export function Bars({ shares, most: full }: { shares: readonly Share[]; most?: number }) {
  const most = full ?? Math.max(...shares.map(({ part }) => part), 1e-12);
  return (
    <ul className="wk">
      {shares.map(({ key, name, part, value }) => (
        <li key={key}>
          <span className="n">{name}</span>
          <span className="bar">
            <i style={{ width: `${(part / most) * 100}%` }} />
          </span>
          <span className="num">{value}</span>
        </li>
      ))}
    </ul>
  );
}

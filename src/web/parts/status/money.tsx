/** Money to the cent, and how much of a limit it is. */
import { money } from "../../../lib/text/amounts.ts";

export function Money({ usd, of }: { usd: number; of?: number | undefined }) {
  return (
    <span className="num">
      {money(usd)}
      {of === undefined ? null : <span className="dim"> of {money(of)}</span>}
    </span>
  );
}

/** A ring that fills; from nothing to full. */
export function Ring({ share, size = 16 }: { share: number; size?: number }) {
  const round = 2 * Math.PI * 6.9;
  return (
    <svg className="ring" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6.9" fill="none" stroke="var(--line-2)" strokeWidth="2.2" />
      <circle
        cx="8"
        cy="8"
        r="6.9"
        fill="none"
        stroke={share >= 1 ? "var(--failed)" : "var(--accent)"}
        strokeWidth="2.2"
        strokeLinecap="round"
        strokeDasharray={`${Math.max(0, Math.min(1, share)) * round} ${round}`}
        transform="rotate(-90 8 8)"
      />
    </svg>
  );
}

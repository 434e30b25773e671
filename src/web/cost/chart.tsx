/** Money by day as bars, with a number on each. What it shows is in a table too, for those who do not see it. */
import { money } from "../parts/words.ts";

export interface Bar {
  key: string;
  label: string;
  usd: number;
}

const [width, height, left, right, top, bottom] = [640, 190, 44, 8, 18, 22];

export function DayChart({ bars, title }: { bars: readonly Bar[]; title: string }) {
  const most = roundUp(Math.max(...bars.map(({ usd }) => usd), 0));
  const step = (width - left - right) / Math.max(1, bars.length);
  const wide = Math.min(46, step * 0.62);
  const tall = height - top - bottom;
  const y = (usd: number) => top + tall - (usd / most) * tall;
  return (
    <>
      <svg className="ch" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line className="gr" x1={left} x2={width - right} y1={y(most * share)} y2={y(most * share)} />
            <text x={left - 8} y={y(most * share) + 4} textAnchor="end">
              {axis(most * share)}
            </text>
          </g>
        ))}
        {bars.map(({ key, label, usd }, index) => {
          const x = left + step * (index + 0.5);
          const now = index === bars.length - 1;
          return (
            <g key={key} className={now ? "now" : ""}>
              <rect x={x - wide / 2} y={y(usd)} width={wide} height={Math.max(usd ? 1.5 : 0, y(0) - y(usd))} rx={3} />
              {usd ? (
                <text className="v" x={x} y={y(usd) - 6} textAnchor="middle">
                  {money(usd)}
                </text>
              ) : null}
              {bars.length <= 10 || index % Math.ceil(bars.length / 10) === 0 || now ? (
                <text x={x} y={height - 6} textAnchor="middle">
                  {label}
                </text>
              ) : null}
            </g>
          );
        })}
      </svg>
      <table className="sr">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Money</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ key, usd }) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              <td>{money(usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** 1, 2 or 5 times a power of ten, and never nothing. */
function roundUp(usd: number): number {
  if (usd <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(usd));
  return power * ([1, 2, 5, 10].find((times) => usd <= power * times) ?? 10);
}

const axis = (usd: number): string => `$${usd >= 1 || usd === 0 ? Number(usd.toFixed(1)) : Number(usd.toPrecision(2))}`;

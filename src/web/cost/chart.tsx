/** Money, or tokens where nothing has a price, by day as bars, with a number on each. What it shows is in a table too, for those who do not see it. */
import { money, tokens } from "../parts/words.ts";

export interface Bar {
  key: string;
  label: string;
  amount: number;
}

const [height, left, right, top, bottom] = [190, 44, 8, 18, 22];
/** As wide as it is shown, so that its words are as large as all others. */
const widthHere = (): number => (matchMedia("(max-width: 720px)").matches ? 330 : 640);

export interface Unit {
  name: string;
  show(amount: number): string;
  axis(amount: number): string;
}
export const inMoney: Unit = { name: "Money", show: money, axis: dollars };
export const inTokens: Unit = { name: "Tokens", show: tokens, axis: tokens };

export function DayChart({ bars, title, unit }: { bars: readonly Bar[]; title: string; unit: Unit }) {
  const width = widthHere();
  const most = roundUp(Math.max(...bars.map(({ amount }) => amount), 0));
  const step = (width - left - right) / Math.max(1, bars.length);
  const wide = Math.min(46, step * 0.62);
  const fit = Math.floor(width / 52);
  const tall = height - top - bottom;
  const y = (amount: number) => top + tall - (amount / most) * tall;
  return (
    <>
      <svg className="ch" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line className="gr" x1={left} x2={width - right} y1={y(most * share)} y2={y(most * share)} />
            <text x={left - 8} y={y(most * share) + 4} textAnchor="end">
              {unit.axis(most * share)}
            </text>
          </g>
        ))}
        {bars.map(({ key, label, amount }, index) => {
          const x = left + step * (index + 0.5);
          const now = index === bars.length - 1;
          return (
            <g key={key} className={now ? "now" : ""}>
              <rect
                x={x - wide / 2}
                y={y(amount)}
                width={wide}
                height={Math.max(amount ? 1.5 : 0, y(0) - y(amount))}
                rx={3}
              />
              {amount ? (
                <text className="v" x={x} y={y(amount) - 6} textAnchor="middle">
                  {unit.show(amount)}
                </text>
              ) : null}
              {index % Math.ceil(bars.length / fit) === 0 || now ? (
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
            <th scope="col">{unit.name}</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ key, amount }) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              <td>{unit.show(amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** 1, 2 or 5 times a power of ten, and never nothing. */
function roundUp(amount: number): number {
  if (amount <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(amount));
  return power * ([1, 2, 5, 10].find((times) => amount <= power * times) ?? 10);
}

function dollars(usd: number): string {
  return `$${usd >= 1 || usd === 0 ? Number(usd.toFixed(1)) : Number(usd.toPrecision(2))}`;
}

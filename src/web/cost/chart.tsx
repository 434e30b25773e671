/**
 * Money, or tokens where nothing has a price, as bars of models one above the other, with a number on each. Colours go by lightness and are
 * named below; what it shows is in a table too, for those who do not see it.
 */
import { money } from "../../lib/text/amounts.ts";
import { tokens } from "../parts/text/words.ts";

export interface Part {
  model: string;
  amount: number;
}

export interface Bar {
  key: string;
  label: string;
  parts: readonly Part[];
}

const [height, left, right, top, bottom] = [190, 44, 8, 18, 22];
/** As wide as it is shown, so that its words are as large as all others. */
const widthHere = (): number => (matchMedia("(max-width: 720px)").matches ? 330 : 640);
const colours = 5;
const others = "others";

export interface Unit {
  name: string;
  show(amount: number): string;
  axis(amount: number): string;
}
export const inMoney: Unit = { name: "Money", show: money, axis: dollars };
export const inTokens: Unit = { name: "Tokens", show: tokens, axis: tokens };

interface Given {
  bars: readonly Bar[];
  /** Most expensive first: each has its colour everywhere. */
  models: readonly string[];
  title: string;
  /** What the bars are: days, runs. */
  of: string;
  unit: Unit;
  /** Said after a model in the legend. */
  noteOf?(model: string): string;
}

export function StackChart({ bars, models, title, of, unit, noteOf }: Given) {
  const shown = models.length > colours ? [...models.slice(0, colours - 1), others] : models;
  const stacks = bars.map((bar) => ({ ...bar, amounts: shown.map((model) => amountOf(bar, model, shown)) }));
  return (
    <>
      <Drawn stacks={stacks} unit={unit} />
      <ul className="legend" aria-label="Models">
        {shown.map((model, index) => (
          <li key={model} title={model}>
            <i className={`c-${index + 1}`} />
            {nameOf(model)}
            {noteOf?.(model) ?? ""}
          </li>
        ))}
      </ul>
      <table className="sr">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{of}</th>
            {shown.map((model) => (
              <th key={model} scope="col">
                {model}
              </th>
            ))}
            <th scope="col">{unit.name}</th>
          </tr>
        </thead>
        <tbody>
          {stacks.map(({ key, amounts }) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              {amounts.map((amount, index) => (
                <td key={shown[index]}>{unit.show(amount)}</td>
              ))}
              <td>{unit.show(sum(amounts))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Drawn({ stacks, unit }: { stacks: readonly { key: string; label: string; amounts: number[] }[]; unit: Unit }) {
  const width = widthHere();
  const most = roundUp(Math.max(...stacks.map(({ amounts }) => sum(amounts)), 0));
  const step = (width - left - right) / Math.max(1, stacks.length);
  const wide = Math.min(46, step * 0.62);
  const tall = height - top - bottom;
  const y = (amount: number) => top + tall - (amount / most) * tall;
  const every = Math.ceil(stacks.length / Math.floor(width / 52));
  return (
    <svg className="ch" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <line className="gr" x1={left} x2={width - right} y1={y(most * share)} y2={y(most * share)} />
          <text x={left - 8} y={y(most * share) + 4} textAnchor="end">
            {unit.axis(most * share)}
          </text>
        </g>
      ))}
      {stacks.map(({ key, label, amounts }, index) => {
        const x = left + step * (index + 0.5);
        const now = index === stacks.length - 1;
        const whole = sum(amounts);
        return (
          <g key={key} className={now ? "now" : ""}>
            {amounts.map((amount, nth) => {
              if (amount === 0) return null;
              const below = sum(amounts.slice(0, nth));
              const from = y(below);
              const to = Math.min(y(below + amount), from - 1.5);
              const gap = nth > 0 && from - to > 3 ? 1 : 0;
              const look = `c-${nth + 1}`;
              return (
                <rect
                  key={look}
                  className={look}
                  x={x - wide / 2}
                  y={to}
                  width={wide}
                  height={from - to - gap}
                  rx={2}
                />
              );
            })}
            {whole && step > 34 ? (
              <text className="v" x={x} y={y(whole) - 6} textAnchor="middle">
                {unit.show(whole)}
              </text>
            ) : null}
            {(stacks.length - 1 - index) % every === 0 ? (
              <text x={x} y={height - 6} textAnchor="middle">
                {label}
              </text>
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}

export const nameOf = (model: string): string => model.split("/").at(-1) ?? model;

const sum = (amounts: readonly number[]): number => amounts.reduce((total, one) => total + one, 0);

function amountOf({ parts }: Bar, model: string, shown: readonly string[]): number {
  const these = parts.filter((part) => (model === others ? !shown.includes(part.model) : part.model === model));
  return sum(these.map(({ amount }) => amount));
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

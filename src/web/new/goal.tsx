/** The goal and what goes with it. What was written and chosen is kept until it is used. */
import { type ReactNode, useState } from "react";
import type { Offer, OfferedModel } from "../../api/models.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import type { Wish } from "./wish.ts";

const kept = "agiraph.new";
interface Draft {
  goal: string;
  model: string;
  usd: string;
  mode: "finite" | "infinite";
  every: number;
}
const empty: Draft = { goal: "", model: "", usd: "5", mode: "finite", every: 21_600 };

function draft(): Draft {
  try {
    return { ...empty, ...(JSON.parse(localStorage.getItem(kept) ?? "{}") as Partial<Draft>) };
  } catch {
    return empty;
  }
}

const examples = [
  "Read this repository and explain how it works",
  "Compare three vendors and recommend one",
  "Write a two-page brief on a question I give you",
];

export function Goal({ offer, begin }: { offer: Offer | undefined; begin(wish: Wish): Promise<boolean> }) {
  const [wish, setWish] = useState(draft);
  const [sending, setSending] = useState(false);
  const change = (next: Partial<Draft>) => {
    const changed = { ...wish, ...next };
    setWish(changed);
    localStorage.setItem(kept, JSON.stringify(changed));
  };
  const { goal, usd, mode, every } = wish;
  const model = offer?.models.some(({ name }) => name === wish.model) ? wish.model : (offer?.model ?? "");
  const limit = usd.trim() === "" ? undefined : Number(usd);
  const why = !goal.trim()
    ? "Write the goal first"
    : offer && !model
      ? "There is no model to ask"
      : limit !== undefined && !(limit > 0)
        ? "The budget is no amount of money"
        : undefined;
  const start = async () => {
    if (why || sending) return;
    setSending(true);
    const body: Wish = {
      goal: goal.trim(),
      mode,
      ...(model ? { model } : {}),
      ...(limit === undefined ? {} : { budget: { usd: limit } }),
      ...(mode === "infinite" ? { cycle_seconds: every } : {}),
    };
    if (await begin(body)) localStorage.setItem(kept, JSON.stringify({ ...wish, goal: "" }));
    setSending(false);
  };
  return (
    <>
      <div className="composer goal">
        <textarea
          className="text"
          // biome-ignore lint/a11y/noAutofocus: it is what the page is for
          autoFocus
          aria-label="Goal"
          placeholder="Map the AI chip landscape for 2026: who leads, what an hour costs, where supply is tight. Eight pages our board can read."
          rows={4}
          value={goal}
          onChange={(event) => change({ goal: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void start();
          }}
        />
        <div className="bar wrap">
          <Choice icon="sparkle" label="Model" value={model} choose={(next) => change({ model: next })}>
            {offer ? <Models offer={offer} /> : <option value="">Looking for models</option>}
          </Choice>
          <label className="chip choice" title="What it may spend in all; empty for no limit">
            <Icon name="wallet" size={14} />
            Up to $
            <input
              aria-label="Budget in US dollars"
              inputMode="decimal"
              size={4}
              value={usd}
              placeholder="any"
              onChange={(event) => change({ usd: event.target.value.replace(",", ".") })}
            />
          </label>
          <Choice icon="history" label="Mode" value={mode} choose={(next) => change({ mode: next as Draft["mode"] })}>
            <option value="finite">Until it is done</option>
            <option value="infinite">Keeps at it</option>
          </Choice>
          {mode === "infinite" ? (
            <Choice
              icon="clock"
              label="How often it wakes"
              value={String(every)}
              choose={(next) => change({ every: Number(next) })}
            >
              <option value="3600">every hour</option>
              <option value="21600">every 6 hours</option>
              <option value="86400">every day</option>
              <option value="604800">every week</option>
            </Choice>
          ) : null}
          <span className="grow" />
          <Button look="solid" onClick={() => void start()} disabled={why !== undefined || sending} title={why}>
            Start<kbd>↵</kbd>
          </Button>
        </div>
      </div>
      {goal ? null : (
        <div className="examples">
          {examples.map((one) => (
            <button type="button" key={one} className="chip" onClick={() => change({ goal: one })}>
              {one}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

interface ChoiceGiven {
  icon: string;
  label: string;
  value: string;
  choose(value: string): void;
  children: ReactNode;
}

function Choice({ icon, label, value, choose, children }: ChoiceGiven) {
  return (
    <label className="chip choice">
      <Icon name={icon} size={14} />
      <select aria-label={label} value={value} onChange={(event) => choose(event.target.value)}>
        {children}
      </select>
      <Icon name="down" size={12} />
    </label>
  );
}

function Models({ offer: { models, model } }: { offer: Offer }) {
  const providers = [...new Set(models.map(({ provider }) => provider))];
  return (
    <>
      {model && !models.some(({ name }) => name === model) ? <option value={model}>{model}</option> : null}
      {model ? null : <option value="">No model found</option>}
      {providers.map((provider) => (
        <optgroup key={provider} label={provider}>
          {models.flatMap((one) =>
            one.provider === provider ? (
              <option key={one.name} value={one.name}>
                {one.name.replace(`${provider}/`, "")} {priceOf(one)}
              </option>
            ) : (
              []
            ),
          )}
        </optgroup>
      ))}
    </>
  );
}

/** Per million tokens, in and out. */
function priceOf({ price, provider }: OfferedModel): string {
  if (provider === "ollama") return "· no cost";
  return price ? `· $${price.input} in, $${price.output} out per million` : "· price unknown";
}

/** The budget: what was spent, what is reserved, what is left, and the form that changes the limit. */
import { type CSSProperties, useState } from "react";
import type { State } from "../../core/state.ts";
import { money } from "../../lib/text/amounts.ts";
import type { Account, BudgetLimit } from "../../schema/budget.ts";
import { Button } from "../parts/controls/button.tsx";
import { Field } from "../parts/controls/field.tsx";
import { tokens } from "../parts/text/words.ts";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";

export type Scope = "agent" | "run" | "day";
const names: Record<Scope, string> = { agent: "the agent", run: "this run", day: "each day" };

/** Of a day the account is that of today, and its limit that of every day. */
export function accountOf(state: State, scope: Scope, today: string): Account | undefined {
  if (scope !== "day") return state.accounts.get(scope);
  const day = state.accounts.get(`day:${today}`);
  const limit = state.accounts.get("day")?.limit ?? {};
  const nothing = { spent: { usd: 0, tokens: 0, turns: 0, seconds: 0 }, reserved: { usd: 0, tokens: 0 } };
  return { ...nothing, ...day, limit };
}

export function BudgetCard({ state, agent, today }: { state: State; agent: string; today: string }) {
  const [scope, setScope] = useState<Scope>("agent");
  const account = accountOf(state, scope, today);
  const spent = account?.spent.usd ?? 0;
  const reserved = account?.reserved.usd ?? 0;
  const limit = account?.limit.usd;
  const free = limit === undefined ? undefined : Math.max(0, limit - spent - reserved);
  return (
    <section className="cd c4" aria-label="Budget">
      <h2>
        Budget
        <select
          className="pick-one r"
          aria-label="Budget of"
          value={scope}
          onChange={({ target }) => setScope(target.value as Scope)}
        >
          <option value="agent">of the agent</option>
          <option value="run">of this run</option>
          <option value="day">of a day</option>
        </select>
      </h2>
      <div className="bud">
        <BigRing spent={spent} reserved={reserved} limit={limit} />
        <div className="bl">
          <Line colour="var(--accent)" word="Spent" value={money(spent)} />
          <Line colour="var(--ink-3)" word="Reserved" value={money(reserved)} />
          <Line colour="var(--line-2)" word="Left" value={free === undefined ? "no limit" : money(free)} />
          <Line colour="transparent" word="Tokens" value={limits(account, "tokens")} />
          <Line colour="transparent" word="Calls" value={limits(account, "turns")} />
        </div>
      </div>
      <SetBudget
        key={`${scope} ${JSON.stringify(account?.limit)}`}
        agent={agent}
        scope={scope}
        limit={account?.limit ?? {}}
      />
    </section>
  );
}

function limits(account: Account | undefined, unit: "tokens" | "turns"): string {
  const most = account?.limit[unit];
  return `${tokens(account?.spent[unit] ?? 0)}${most === undefined ? "" : ` of ${tokens(most)}`}`;
}

function Line({ colour, word, value }: { colour: string; word: string; value: string }) {
  return (
    <div>
      <i style={{ background: colour } as CSSProperties} />
      <span>{word}</span>
      <span className="num">{value}</span>
    </div>
  );
}

function BigRing({ spent, reserved, limit }: { spent: number; reserved: number; limit: number | undefined }) {
  const round = 2 * Math.PI * 54;
  const share = (usd: number) => (limit ? Math.min(1, usd / limit) : usd > 0 && limit === 0 ? 1 : 0);
  const arc = (from: number, part: number, colour: string) => (
    <circle
      cx="64"
      cy="64"
      r="54"
      fill="none"
      stroke={colour}
      strokeWidth="11"
      strokeDasharray={`${part * round} ${round}`}
      transform={`rotate(${-90 + from * 360} 64 64)`}
    />
  );
  return (
    <div className="bigring">
      <svg width="128" height="128" viewBox="0 0 128 128" aria-hidden="true">
        {arc(0, 1, "var(--line)")}
        {arc(0, share(spent), "var(--accent)")}
        {arc(share(spent), Math.min(share(reserved), 1 - share(spent)), "var(--ink-3)")}
      </svg>
      <div>
        <b>{money(spent)}</b>
        <span>{limit === undefined ? "no limit" : `of ${money(limit)}`}</span>
      </div>
    </div>
  );
}

function SetBudget({ agent, scope, limit }: { agent: string; scope: Scope; limit: BudgetLimit }) {
  const client = useClient();
  const { attempt, say } = useToasts();
  const [usd, setUsd] = useState(limit.usd === undefined ? "" : String(limit.usd));
  const [most, setMost] = useState(limit.tokens === undefined ? "" : String(limit.tokens));
  const amount = (text: string) => (text.trim() === "" ? null : Number(text));
  const wrong = [usd, most].some((text) => text.trim() !== "" && !(Number(text) >= 0));
  const same = amount(usd) === (limit.usd ?? null) && amount(most) === (limit.tokens ?? null);
  const put = (to: { usd: number | null; tokens: number | null }) =>
    attempt(client.changeBudget({ params: { agent }, body: { ...to, of: scope } }));
  const set = async () => {
    if (!(await put({ usd: amount(usd), tokens: amount(most) }))) return;
    const before = { usd: limit.usd ?? null, tokens: limit.tokens ?? null };
    const action = { word: "Undo", act: () => void put(before) };
    say({ look: "done", text: `The limit of ${names[scope]} is set.`, action });
  };
  return (
    <form
      className="form-row apart"
      onSubmit={(event) => {
        event.preventDefault();
        if (!wrong && !same) void set();
      }}
    >
      <Field label="Limit in $">
        <input
          className="form-input num"
          inputMode="decimal"
          placeholder="none"
          value={usd}
          onChange={({ target }) => setUsd(target.value)}
        />
      </Field>
      <Field label="Tokens">
        <input
          className="form-input num"
          inputMode="numeric"
          placeholder="none"
          value={most}
          onChange={({ target }) => setMost(target.value)}
        />
      </Field>
      <Button type="submit" disabled={wrong || same} title={wrong ? "A number, or nothing for no limit" : undefined}>
        Set
      </Button>
    </form>
  );
}

/** Items that are stuck for another reason than a question: a budget, a limit, a fault, an unassigned node, a failing channel. */

import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { shellLine } from "../../lib/command-line.ts";
import { money } from "../../lib/text/amounts.ts";
import { Button } from "../parts/controls/button.tsx";
import { duration, plural, tokens } from "../parts/text/words.ts";
import { KeyCaps, keyMap } from "../shell/key-map.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import { isLeaderless } from "../store/main-thread.ts";
import type { ForOne } from "./focus.tsx";
import { limitOf } from "./limit.ts";
import type { Need } from "./queue.ts";
import { useEnter } from "./use-enter.ts";

type Stop = Extract<Need, { kind: "stopped" }>;

export function Stopped({ need, acts, later }: ForOne<Stop>) {
  const { reason, failed, agent } = need;
  if (reason.code === "budget") return <Budget need={need} acts={acts} later={later} />;
  return (
    <>
      <h2>{need.title}</h2>
      <p className="ctx">{reason.message}</p>
      <div className="act">
        {failed ? null : <GoOn need={need.key} label="Resume" act={() => acts.goOn(agent)} />}
        <Link className={`btn lg ${failed ? "solid" : ""}`} to="/agents/$agent/talk" params={{ agent }}>
          {failed ? "Look at it" : "Say something"}
        </Link>
        {later}
      </div>
    </>
  );
}

const units = {
  usd: { word: "dollars", show: money },
  tokens: { word: "tokens", show: (count: number) => `${tokens(count)} tokens` },
  turns: { word: "model calls", show: (count: number) => plural(count, "model call") },
  seconds: { word: "seconds of work", show: (count: number) => duration(count * 1000) },
} as const;

/** Half as much again is offered. */
function Budget({ need, acts, later }: ForOne<Stop>) {
  const { state, agent, reason } = need;
  const { of, unit } = limitOf(reason);
  const { word, show } = units[unit];
  const limit = state?.accounts.get(of)?.limit[unit] ?? 0;
  const spent = (of === "day" ? state?.accounts.get(todayOf(state.at)) : state?.accounts.get(of))?.spent[unit] ?? 0;
  const [text, setText] = useState(String(Math.ceil(Math.max(limit, spent) * 1.5 + 1)));
  const wanted = Number(text);
  const why = wanted > spent ? undefined : `The limit must be above what is spent: ${show(spent)}`;
  return (
    <>
      <h2>{need.title}</h2>
      <p className="ctx">{reason.message}</p>
      <dl className="kv">
        <dt>Used</dt>
        <dd>
          {show(spent)} <span className="dim">of {show(limit)}</span>
        </dd>
        <dt>Limit of</dt>
        <dd>{{ agent: "the agent", run: "this run", day: "each day" }[of]}</dd>
      </dl>
      <label className="write">
        <span>New limit in {word}</span>
        <input
          aria-label={`New limit in ${word}`}
          inputMode="decimal"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <div className="act">
        <GoOn
          need={need.key}
          label={`Continue with ${show(wanted || 0)}`}
          why={why}
          act={() => acts.goOn(agent, { of, unit, amount: wanted, words: show(wanted) })}
        />
        {later}
      </div>
    </>
  );
}

const todayOf = (at: string): string => `day:${at.slice(0, 10)}`;

interface GoOnProps {
  /** Its key. */
  need: string;
  label: string;
  why?: string | undefined;
  act(): Promise<unknown>;
}

function GoOn({ need, label, why, act }: GoOnProps) {
  const [sending, setSending] = useState(false);
  const go = async () => {
    if (why !== undefined || sending) return;
    setSending(true);
    await act();
    setSending(false);
  };
  const button = useRef<HTMLButtonElement>(null);
  useEnter(
    need,
    () => void go(),
    () => button.current,
  );
  return (
    <Button ref={button} look="solid" large why={why} disabled={sending || why !== undefined} onClick={() => void go()}>
      {label}
      <KeyCaps of={keyMap.answer} />
    </Button>
  );
}

export function Stuck({ need, later }: ForOne<Extract<Need, { kind: "stuck" }>>) {
  const { agent, state, node = "", chain } = need;
  const whom = isLeaderless(state) ? "everyone" : "the coordinator";
  const client = useClient();
  const { attempt, say } = useToasts();
  const nudge = async () => {
    const message = `${node} is stuck (${chain}). Unblock it, reassign it, or cancel it.`;
    const done = await attempt(client.send({ params: { agent }, body: { message } }));
    if (done) say({ look: "done", text: `${whom.slice(0, 1).toUpperCase()}${whom.slice(1)} was told.` });
  };
  return (
    <>
      <h2>{need.title}</h2>
      <p className="ctx">{chain}</p>
      <div className="act">
        <Button look="solid" large onClick={() => void nudge()}>
          Tell {whom}
        </Button>
        <Link className="btn lg" to="/agents/$agent/graph" params={{ agent }} hash={node}>
          Open in Graph
        </Link>
        {later}
      </div>
    </>
  );
}

export function Lost({ need, later }: ForOne<Extract<Need, { kind: "lost" }>>) {
  return (
    <>
      <h2>{need.title}</h2>
      <p className="ctx">{need.message}</p>
      <p className="ctx">
        Its files are untouched. The daemon's log says more; <code className="mono">{shellLine("logs")}</code> shows it
        in a terminal.
      </p>
      <div className="act">{later}</div>
    </>
  );
}

export function Channel({ need, later }: ForOne<Extract<Need, { kind: "channel" }>>) {
  return (
    <>
      <h2>A notification channel is failing</h2>
      <p className="ctx">{need.message}</p>
      <p className="ctx">Nothing is lost: everything is here. The channel is configured in config.yaml.</p>
      <div className="act">{later}</div>
    </>
  );
}

/** A node as a card, a folded column as a stack, a suggestion as a dashed card. Drawn again only when what they say has changed. */
import { memo } from "react";
import { money } from "../../lib/text/amounts.ts";
import type { Suggestion } from "../../schema/suggestion.ts";
import { Button, IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, type Who } from "../parts/status/avatar.tsx";
import { EvidenceMark } from "../parts/status/evidence.tsx";
import { Ring } from "../parts/status/money.tsx";
import { StatusDot } from "../parts/status/status.tsx";
import { Middle } from "../parts/text/middle.tsx";
import { Age, Time } from "../parts/text/time.tsx";
import { age, plural } from "../parts/text/words.ts";
import type { CardView } from "./cards.ts";
import type { Stack } from "./stacks.ts";

interface Given {
  view: CardView;
  chosen: boolean;
  /** The keyboard is here. */
  here: boolean;
  chain: boolean;
  fresh: boolean;
  /** In one line: a part of the one above it. */
  tiny?: boolean;
  /** Not what somebody looks for. */
  off?: boolean;
  /** Ages are counted up to here; to now if missing. */
  moment?: number | undefined;
}

export const Card = memo(function Card({ view, chosen, here, chain, fresh, tiny, off, moment }: Given) {
  const marks = [
    view.status,
    view.asks && "asks",
    chosen && "sel",
    here && "here",
    chain && "chain",
    fresh && "fresh",
    tiny && "kid",
    off && "off",
  ];
  return (
    <button
      type="button"
      className={`node ${marks.filter(Boolean).join(" ")}`}
      tabIndex={here || chosen ? 0 : -1}
      aria-label={`${view.id}, ${view.name}: ${view.word}`}
      aria-current={chosen || undefined}
      data-node={view.id}
      title={tiny ? `${view.id}: ${view.line}` : undefined}
    >
      {tiny ? (
        <>
          <StatusDot look={view.look} word={view.word} size={14} />
          <span className="mono id">{view.id.split("-")[0]}</span>
          <h3 className="ell">{view.name}</h3>
          {view.evidence ? <EvidenceMark evidence={view.evidence} failed={view.failed} small /> : null}
          {view.usd > 0 ? <span className="num c">{money(view.usd)}</span> : null}
          {view.who ? <Avatar who={view.who} size={16} /> : null}
        </>
      ) : (
        <>
          <CardHead view={view} moment={moment} />
          <h3 className="ell">{view.name}</h3>
          <p className={`ell ${view.asks ? "waiting" : view.mends ? "failed" : ""}`}>{view.line}</p>
          <CardFoot view={view} />
        </>
      )}
    </button>
  );
});

function CardHead({ view, moment }: Pick<Given, "view" | "moment">) {
  const { id, look, word, status, started_at, ended_at } = view;
  return (
    <div className="n-h">
      <StatusDot look={look} word={word} size={14} />
      <Middle className="mono id" text={id} />
      <span className="num age">
        {ended_at ? (
          <Time at={ended_at} />
        ) : started_at && moment !== undefined ? (
          age(started_at, moment)
        ) : started_at ? (
          <Age since={started_at} />
        ) : status === "assigned" ? (
          "next"
        ) : (
          "planned"
        )}
      </span>
    </div>
  );
}

export function CardFoot({ view: { who, usd, share, of, partial, evidence, failed } }: { view: CardView }) {
  return (
    <div className="n-f">
      {who ? (
        <>
          <Avatar who={who} />
          <span className="name ell">{who.name}</span>
        </>
      ) : (
        <span className="dim">nobody yet</span>
      )}
      {partial ? <span className="dim">in part</span> : null}
      {evidence ? <EvidenceMark evidence={evidence} failed={failed} /> : null}
      <span className="grow" />
      {usd > 0 ? <span className="num c">{money(usd)}</span> : null}
      {share > 0 ? (
        <span title={of} className="cring">
          <Ring share={share} size={14} />
        </span>
      ) : null}
    </div>
  );
}

export const StackCard = memo(function StackCard({ stack, off }: { stack: Stack; off?: boolean }) {
  const { members } = stack;
  const faces = [...new Map(members.flatMap(({ who }) => (who ? [[who.id, who] as const] : []))).values()].slice(0, 4);
  const short = (id: string) => id.split("-")[0];
  return (
    <div className={`stack ${off ? "off" : ""}`}>
      <i />
      <i />
      <button
        type="button"
        className="node"
        data-stack={stack.id}
        data-first={stack.first}
        aria-expanded={false}
        aria-label={`${stack.name ? `${stack.name}, ` : ""}${plural(members.length, "node")} done: unfold`}
      >
        <div className="n-h">
          <StatusDot look="done" size={14} />
          <span className="mono id">
            {short(members[0]!.id)} to {short(members.at(-1)!.id)}
          </span>
          <span className="grow" />
          <Icon name="fit" size={13} />
        </div>
        <h3>{plural(members.length, "node")} done</h3>
        <p className="ell">{members.map(({ name }) => name).join(", ")}</p>
        <div className="n-f">
          <span className="faces">
            {faces.map((who) => (
              <Avatar key={who.id} who={who} />
            ))}
          </span>
          <span className="grow" />
          <span className="num c">{money(members.reduce((sum, { usd }) => sum + usd, 0))}</span>
        </div>
      </button>
    </div>
  );
});

/** Over a column that can be folded; the graph listens to the click. */
export const FoldButton = memo(function FoldButton({ stack: { id, name, members } }: { stack: Stack }) {
  const says = `Fold ${name ?? plural(members.length, "node")}`;
  return (
    <IconButton label={says} data-fold={id} aria-expanded>
      <Icon name="layers" size={14} />
    </IconButton>
  );
});

interface Suggested {
  view: Suggestion;
  who: Who;
  decide?: (suggestion: string, decision: "add" | "dismiss") => void;
}

/** The coordinator takes it up or dismisses it; or somebody who looks does. */
export const SuggestionCard = memo(function SuggestionCard({ view, who, decide }: Suggested) {
  return (
    <article className="sugg" title={view.text} data-suggestion={view.id} aria-label={`${who.name} suggests`}>
      <div className="n-h">
        <Icon name="sparkle" size={14} />
        <span className="ell">{who.name} suggests</span>
        <span className="grow" />
        <Time at={view.at} />
      </div>
      <h3>{view.text}</h3>
      {decide ? (
        <div className="act">
          <Button onClick={() => decide(view.id, "add")}>Add node</Button>
          <Button look="ghost" onClick={() => decide(view.id, "dismiss")}>
            Not now
          </Button>
        </div>
      ) : null}
    </article>
  );
});

/**
 * The human's own vote: an option by its key, a reason if one likes, and what it would do. It can be undone for a few seconds (store/held.ts), and
 * changed while the proposal is open. `hot`: the keys 1 to 9 and R are its own while it is on the screen; `queue`: Enter on its row is, too.
 */
import { type ReactNode, useRef, useState } from "react";
import type { State } from "../../core/state.ts";
import { awaitsVote, delegatesTo, reasonOf, voteOf } from "../../core/team/proposal.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import { abstain, type Proposal } from "../../schema/proposal.ts";
import { useEnter } from "../needs/use-enter.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { StatusDot } from "../parts/status/status.tsx";
import { HeldButtons, HeldStatus, useHolding } from "../shell/held.tsx";
import { KeyCaps, keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { isOnScreen } from "../shell/on-screen.ts";
import type { HeldAnswer } from "../store/held.ts";
import { useAnswers, useHeld } from "../store/hooks.ts";
import { Delegate } from "./delegate.tsx";
import { choicesOf, effectOf } from "./tally.ts";
import type { Vote } from "./votes.ts";

interface Given {
  agent: string;
  state: State;
  vote: Vote;
  hot?: boolean;
  queue?: boolean;
  /** The way to put it off, which stands beside the others. */
  later?: ReactNode;
}

/** What was begun stays while another is looked at, and after an undo. */
const drafts = new Map<string, { option: string; reason: string }>();

export function CastVote({ agent, state, vote, hot = false, queue = false, later }: Given) {
  const { proposal } = vote;
  const held = useHeld().find(
    (one) => one.agent === agent && one.question === proposal.id && one.asked_at === proposal.created_at,
  );
  const [changing, setChanging] = useState(false);
  if (proposal.status !== "open" || !proposal.voters.includes("human")) return null;
  const mine = voteOf(proposal, "human");
  if (held) return <Undo held={held} />;
  const other = delegatesTo(proposal, "human");
  if (!awaitsVote(proposal, "human") && !changing)
    return (
      <section className="cast done" aria-label="Your vote">
        <p className="cast-h">
          <Icon name="check" size={14} />
          <span>
            {mine === undefined ? "You vote as " : "You voted: "}
            <b>{mine === undefined ? whoIs(state, other).name : nameOf(mine)}</b>
            {mine === undefined ? `: ${delegated(proposal, other)}` : ""}
          </span>
          <span className="grow" />
          <Button onClick={() => setChanging(true)}>Change</Button>
        </p>
      </section>
    );
  return <Choose {...{ agent, state, vote, hot, queue, later }} done={() => setChanging(false)} />;
}

function Choose({ agent, state, vote, hot, queue, later, done }: Given & { done(): void }) {
  const { proposal, key } = vote;
  const answers = useAnswers();
  const at = `${agent}/${key}`;
  const [draft, setDraft] = useState(
    () => drafts.get(at) ?? { option: voteOf(proposal, "human") ?? "", reason: reasonOf(proposal, "human") ?? "" },
  );
  const choices = choicesOf(proposal);
  const list = useRef<HTMLFieldSetElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const change = (next: Partial<typeof draft>) => {
    const changed = { ...draft, ...next };
    drafts.set(at, changed);
    setDraft(changed);
  };
  const send = () => {
    if (!draft.option) return;
    const reason = draft.reason.trim();
    answers.hold([
      {
        agent,
        question: { id: proposal.id, asked_at: proposal.created_at },
        who: whoIs(state, proposal.by).name,
        words: draft.option,
        said: { vote: draft.option, ...(reason ? { reason } : {}) },
      },
    ]);
    done();
  };
  const optionAt = (index: number) => list.current?.querySelectorAll<HTMLElement>(".opt")[index];
  useKey(keyMap.option, (_, name) => {
    const option = choices[Number(name) - 1];
    const button = optionAt(Number(name) - 1);
    if (!hot || option === undefined || !isOnScreen(button)) return false;
    change({ option });
    button?.focus();
  });
  useKey(keyMap.ownWords, () => (hot && isOnScreen(field.current) ? field.current?.focus() : false));
  const chosenOne = () => list.current?.querySelector<HTMLElement>(".opt.on");
  return (
    <section className="cast" aria-label="Your vote">
      {queue ? <Enter of={at} send={send} primary={() => chosenOne() ?? optionAt(0) ?? null} /> : null}
      <div className="cast-h">
        <StatusDot look="waiting" />
        <span>Your vote</span>
        <span className="grow" />
        <span className="num" aria-live="polite">
          {draft.option ? effectOf(state, proposal, draft.option) : ""}
        </span>
      </div>
      <fieldset ref={list} className="cast-o" aria-label="Options">
        {choices.map((option, index) => (
          <button
            key={option}
            type="button"
            className={`opt ${option === draft.option ? "on" : ""}`}
            aria-pressed={option === draft.option}
            onClick={() => change({ option })}
            onKeyDown={(event) => {
              // Not before it is chosen: the first Enter chooses, as on any button.
              if (event.key !== "Enter" || event.repeat || option !== draft.option) return;
              event.preventDefault();
              send();
            }}
          >
            {index < 9 ? <kbd>{index + 1}</kbd> : null}
            <span className="t">{nameOf(option)}</span>
          </button>
        ))}
      </fieldset>
      <div className="cast-f">
        <label className="write">
          <KeyCaps of={keyMap.ownWords} />
          <input
            ref={field}
            aria-label="Your reason"
            placeholder="Your reason, if you like"
            maxLength={2000}
            value={draft.reason}
            onChange={({ target }) => change({ reason: target.value })}
            onKeyDown={(event) => {
              if (event.key === "Escape") event.currentTarget.blur();
              if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
              event.preventDefault();
              send();
            }}
          />
        </label>
        <Button
          look="solid"
          large
          onClick={send}
          disabled={!draft.option}
          title={draft.option ? undefined : "Choose an option first"}
        >
          Vote <KeyCaps of={keyMap.answer} />
        </Button>
        {later}
      </div>
      <Delegate agent={agent} state={state} proposal={proposal} done={done} />
    </section>
  );
}

function delegated(proposal: Proposal, to: string): string {
  const option = voteOf(proposal, to);
  return option === undefined ? "not voted yet" : nameOf(option);
}

const nameOf = (option: string): string => (option === abstain ? "Abstain" : visibleLine(option));

function Enter({ of, send, primary }: { of: string; send(): void; primary(): HTMLElement | null }) {
  useEnter(of, send, primary);
  return null;
}

function Undo({ held }: { held: HeldAnswer }) {
  const { status } = useHolding(held);
  return (
    <section className="cast done" aria-label="Your vote">
      <p className="cast-h">
        <Icon name={status === "waiting" ? "clock" : "check"} size={14} />
        <span>
          You vote: <b>{nameOf(held.words)}</b>
        </span>
        <span className="num">
          <HeldStatus held={held} />
        </span>
        <span className="grow" />
        <HeldButtons held={held} />
      </p>
    </section>
  );
}

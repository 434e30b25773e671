/** One item of a thread. Drawn again only when an event touched it. */
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode, useState } from "react";
import type { State } from "../../core/state.ts";
import { VoteCard } from "../decisions/vote-card.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { QuestionCard } from "../parts/question/question.tsx";
import { QuestionThen } from "../parts/question/question-then.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { EvidenceMark } from "../parts/status/evidence.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { Words } from "../parts/text/named.tsx";
import { Time } from "../parts/text/time.tsx";
import { day, plural } from "../parts/text/words.ts";
import type { Streaming } from "../store/store.ts";
import { Artefact } from "./artefact.tsx";
import { AttachedCards } from "./attached.tsx";
import { Calls } from "./calls.tsx";
import type { Item, Said } from "./thread-item.ts";
import { TroubleNote } from "./trouble-note.tsx";
import { Whole } from "./whole.tsx";

interface Given {
  item: Item;
  agent: string;
  /** Whose thread it is. */
  of: string;
  state: State | undefined;
  /** The same one spoke right before. */
  goesOn: boolean;
  hot: boolean;
  /** Shown as it was. */
  past?: boolean;
}

/** State is read for names and open questions only: who does not ask need not follow it. */
export const Row = memo(
  Drawn,
  (a, b) =>
    a.item.key === b.item.key &&
    a.item.rev === b.item.rev &&
    a.goesOn === b.goesOn &&
    a.hot === b.hot &&
    a.past === b.past &&
    a.of === b.of &&
    (a.state === undefined) === (b.state === undefined) &&
    !(b.item.kind === "asked" && b.item.question.status === "open") &&
    !(b.item.kind === "vote" && b.item.vote.proposal.status === "open"),
);

function Drawn({ item, agent, of, state, goesOn, hot, past = false }: Given) {
  switch (item.kind) {
    case "day":
      return (
        <div className="sys day">
          <span className="in">{day(item.at)}</span>
        </div>
      );
    case "new":
      return (
        <div className="sys day new">
          <span className="in">New</span>
        </div>
      );
    case "note":
      return (
        <div className={`sys ${item.failed ? "bad" : ""}`}>
          <span className="in">
            <Icon name={item.icon} size={14} />
            <span>
              <Words text={item.text} />
            </span>
            <Time at={item.at} />
          </span>
        </div>
      );
    case "trouble":
      return <TroubleNote agent={agent} at={item.at} state={state} trouble={item.trouble} past={past} />;
    case "said":
      return (
        <Block by={item.from} at={item.at} state={state} goesOn={goesOn} about={addressees(item, of, state)}>
          {item.resource ? (
            <Whole agent={agent} resource={item.resource} text={item.text} />
          ) : item.text.trim() ? (
            <Markdown text={item.text} />
          ) : null}
          {item.attached ? <AttachedCards agent={agent} attached={item.attached} /> : null}
        </Block>
      );
    case "turn":
      return (
        <Block by={item.by} at={item.at} state={state} goesOn={goesOn}>
          {item.text.trim() ? <Markdown text={item.text} /> : null}
          {item.calls.length ? <Calls calls={item.calls} at={item.rev} /> : null}
        </Block>
      );
    case "asked":
      return (
        <Block by={item.by} at={item.at} state={state} goesOn={goesOn} about={past ? "asked you" : "asks you"}>
          {past ? (
            <QuestionThen state={state} question={item.question} />
          ) : (
            <QuestionCard agent={agent} state={state} question={item.question} hot={hot} />
          )}
        </Block>
      );
    case "vote":
      return (
        <Block by={item.by} at={item.at} state={state} goesOn={goesOn} about={past ? "proposed" : "proposes"}>
          <VoteCard agent={agent} state={state} vote={item.vote} hot={hot} past={past} />
        </Block>
      );
    case "published":
      return (
        <Block
          by={item.by}
          at={item.at}
          state={state}
          goesOn={goesOn}
          about={item.partial ? "published in part" : "published"}
        >
          <Artefact agent={agent} item={item} />
        </Block>
      );
    case "answer":
      return (
        <Block
          by={item.by}
          at={item.at}
          state={state}
          goesOn={false}
          about={item.by === "system" ? "finished, because everyone was idle" : "finished"}
        >
          <section className="card result" aria-label="The answer">
            <header>
              <Icon name="check" size={14} />
              <b>{item.run} is done</b>
              <EvidenceMark evidence={item.evidence} title={behind(item.claimed.length)} />
              <span className="grow" />
              {past ? null : (
                <Link className="lnk" to="/agents/$agent/files" params={{ agent }}>
                  Files
                </Link>
              )}
            </header>
            <Markdown text={item.text} />
            {item.claimed.length ? (
              <p className="proof-n">
                Only claimed by {item.claimed.length === 1 ? "its worker" : "their workers"}:{" "}
                <Words text={listed(item.claimed)} />
              </p>
            ) : null}
          </section>
        </Block>
      );
  }
}

const mostListed = 6;
const listed = (nodes: readonly string[]): string =>
  nodes.length > mostListed
    ? `${nodes.slice(0, mostListed).join(", ")} and ${nodes.length - mostListed} more`
    : nodes.join(", ");

/** An answer is as good as the weakest of what it is made of. */
const behind = (claimed: number): string | undefined =>
  claimed ? `${plural(claimed, "node")} behind this answer ${claimed === 1 ? "is" : "are"} claimed only` : undefined;

/** Whom it is for: left out only where the thread itself says it. */
function addressees({ from, to }: Said, of: string, state: State | undefined): ReactNode {
  const plain = of === "coordinator" && (from === "human" ? to.join() === "coordinator" : to.join() === "human");
  if (plain) return null;
  const all = [...(state?.participants.values() ?? [])].filter((one) => one.kind !== "human" && one.id !== from);
  if (to.length > 3 || (to.length > 1 && all.every(({ id }) => to.includes(id)))) return "to everyone";
  return `to ${to.map((id) => (id === "human" ? "you" : whoIs(state, id).name)).join(", ")}`;
}

interface BlockGiven {
  by: string;
  at: string;
  state: State | undefined;
  goesOn: boolean;
  about?: ReactNode;
  children: ReactNode;
}

function Block({ by, at, state, goesOn, about, children }: BlockGiven) {
  const who = by === "system" ? { ...whoIs(state, by), name: "The team" } : whoIs(state, by);
  if (goesOn)
    return (
      <article className="msg on">
        <span className="at-left">
          <Time at={at} />
        </span>
        <div className="msg-b">
          {about ? <div className="by">{about}</div> : null}
          {children}
        </div>
      </article>
    );
  return (
    <article className="msg">
      <Avatar who={who} size={28} />
      <div>
        <div className="msg-h">
          <b>{who.name}</b>
          {about ? <span className="by">{about}</span> : null}
          <Time at={at} />
        </div>
        <div className="msg-b">{children}</div>
      </div>
    </article>
  );
}

/** Words as they come. */
export function Live({ by, state, words }: { by: string; state: State | undefined; words: Streaming | undefined }) {
  const who = whoIs(state, by);
  const [open, setOpen] = useState(false);
  const thought = words?.thought.trim() ?? "";
  return (
    <article className="msg saying" aria-busy="true">
      <Avatar who={who} size={28} />
      <div>
        <div className="msg-h">
          <b>{who.name}</b>
          <span className="by">{words?.text ? "" : "thinks"}</span>
        </div>
        <div className="msg-b">
          {thought ? (
            <button type="button" className="thought" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? thought : thought.slice(-160)}
            </button>
          ) : null}
          {words?.text ? <Markdown text={words.text} caret /> : thought ? null : <span className="caret" />}
        </div>
      </div>
    </article>
  );
}

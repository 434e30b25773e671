/** Why a node waits and what would help; its spec, its limits and its inputs. */

import { why } from "../../core/board/why.ts";
import { defaultLimits } from "../../core/limits.ts";
import type { State } from "../../core/state.ts";
import { money } from "../../lib/text/amounts.ts";
import { firstLine } from "../../lib/text/text.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { StatusDot } from "../parts/status/status.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { Age } from "../parts/text/time.tsx";
import { duration, plural } from "../parts/text/words.ts";
import { useNow } from "../store/hooks.ts";
import { cardOf } from "./cards.ts";
import { nodesBlockedBy } from "./chain.ts";
import type { DrawerSubject } from "./drawer.tsx";
import { ChangeOf } from "./drawer-change.tsx";
import { Checks } from "./drawer-checks.tsx";
import { Scratch } from "./drawer-files.tsx";
import { Quick } from "./drawer-quick.tsx";

export function Overview({ agent, state, node, whole, past = false, choose }: DrawerSubject) {
  const spec = whole?.spec ?? node.task;
  return (
    <>
      <Why agent={agent} state={state} node={node} whole={whole} past={past} choose={choose} />
      {node.status === "completed" ? (
        <>
          <h4>Result</h4>
          <p className="spec">{node.summary}</p>
        </>
      ) : null}
      {"reason" in node ? (
        <>
          <h4>{node.status === "failed" ? "Why it failed" : "Why it was cancelled"}</h4>
          <p className="spec failed">{node.reason.message}</p>
          {node.reason.next_mover ? <p className="dim small">Next: {node.reason.next_mover}</p> : null}
        </>
      ) : null}
      <Checks state={state} node={node} />
      <ChangeOf agent={agent} state={state} node={node} choose={choose} />
      <h4>Spec</h4>
      <div className="spec-md">
        <Markdown text={withoutName(spec, node.name)} />
      </div>
      {node.acceptance && !whole?.spec ? (
        <>
          <h4>Done when</h4>
          <p className="spec">{node.acceptance}</p>
        </>
      ) : null}
      <Limits state={state} node={node} past={past} />
      <Uses state={state} node={node} choose={choose} />
      {"ended_at" in node || past ? null : <Scratch key={node.id} agent={agent} node={node} />}
    </>
  );
}

/** The name stands above already. */
const withoutName = (spec: string, name: string): string =>
  spec.startsWith(`# ${name}\n`) ? spec.slice(name.length + 3).trimStart() : spec;

function Why({ agent, state, node, past, choose }: DrawerSubject) {
  if ("ended_at" in node) return null;
  const chain = why(state, node.id, { limits: defaultLimits });
  const last = chain.at(-1);
  if (!last || (chain.length === 1 && last.code === "working")) return null;
  const question = state.questions.get(last.what);
  const yours = last.next_mover === "human";
  const held = nodesBlockedBy(state, node.id);
  return (
    <section className={`why ${yours ? "" : "calm"}`}>
      <div className="why-h">
        {yours ? "Why this node is waiting" : "What it waits for"}
        <span className="grow" />
        {last.since && !past ? <Age since={last.since} /> : null}
      </div>
      <ol className="wc">
        {chain.map(({ what, text: said, code }, index) => {
          const text = code === "question" ? (askedYou(state, what) ?? said) : said;
          const one = state.nodes.get(what);
          const view = one && cardOf(state, one);
          return (
            <li key={`${what} ${code}`}>
              <span className="ico">
                {view ? (
                  <StatusDot look={view.look} word={view.word} size={14} />
                ) : (
                  <Avatar
                    who={whoIs(state, state.participants.has(what) ? what : yours ? "human" : "system")}
                    size={20}
                  />
                )}
              </span>
              {one && one.id !== node.id ? (
                <button type="button" className="lnk" onClick={() => choose(one.id)}>
                  {text}
                </button>
              ) : (
                <span className={index === chain.length - 1 ? "root" : ""}>{text}</span>
              )}
            </li>
          );
        })}
      </ol>
      {question?.status === "open" && !past ? (
        <Quick key={question.id} agent={agent} state={state} question={question} />
      ) : last.next_mover ? (
        <p className="why-f">Next: {last.next_mover === "human" ? "you" : whoIs(state, last.next_mover).name}</p>
      ) : null}
      {held.length ? (
        <p className="why-f">
          Holds up{" "}
          {held.slice(0, 4).map(({ id }, index) => (
            <span key={id}>
              {index ? ", " : ""}
              <button type="button" className="lnk" onClick={() => choose(id)}>
                {id.split("-")[0]}
              </button>
            </span>
          ))}
          {held.length > 4 ? ` and ${held.length - 4} more` : ""}
        </p>
      ) : null}
    </section>
  );
}

function askedYou(state: State, id: string): string | undefined {
  const question = state.questions.get(id);
  return question && `${whoIs(state, question.by).name} asks you: ${visibleLine(firstLine(question.text))}`;
}

function Limits({ state, node, past }: Pick<DrawerSubject, "state" | "node" | "past">) {
  const live = useNow();
  const now = past ? Date.parse(state.at) : live;
  const account = state.accounts.get(`node:${node.id}`);
  const usd = account?.spent.usd ?? 0;
  const limit = account?.limit.usd;
  const began = "started_at" in node ? node.started_at : undefined;
  const took = began ? Math.max(0, ("ended_at" in node ? Date.parse(node.ended_at) : now) - Date.parse(began)) : 0;
  return (
    <>
      <h4>Limits</h4>
      <div className="lim">
        <Meter is={String(node.turns)} of={`of ${node.max_turns} turns`} share={node.turns / node.max_turns} />
        <Meter
          is={duration(took)}
          of={`of ${duration(node.timeout_seconds * 1000)}`}
          share={took / node.timeout_seconds / 1000}
        />
        <Meter
          is={money(usd)}
          of={limit === undefined ? "no limit" : `of ${money(limit)}`}
          share={limit ? usd / limit : 0}
        />
      </div>
    </>
  );
}

function Meter({ is, of, share }: { is: string; of: string; share: number }) {
  return (
    <div>
      <b>{is}</b> <span className="dim">{of}</span>
      <div className="meter">
        <i style={{ width: `${Math.min(100, share * 100)}%` }} />
      </div>
    </div>
  );
}

function Uses({ state, node, choose }: Pick<DrawerSubject, "state" | "node" | "choose">) {
  const refs = Object.entries(node.refs);
  const named = new Set(refs.map(([, ref]) => ref.split("/")[0]));
  const others = node.depends_on.filter((id) => !named.has(id));
  const after = [...state.nodes.values()].filter(({ depends_on }) => depends_on.includes(node.id));
  const hash = (ref: string) => {
    const [id, ...path] = ref.split("/");
    const source = state.nodes.get(id!);
    const file = source && "files" in source ? source.files.find((one) => one.path === path.join("/")) : undefined;
    return file?.sha256.slice(0, 6);
  };
  const row = (id: string, text: string, note?: string, mono = false) => (
    <li key={`${id} ${text}`}>
      <button type="button" onClick={() => choose(id)}>
        <Icon name="doc" size={14} />
        <span className="ell">{text}</span>
        {note ? <span className={`r ${mono ? "mono" : ""}`}>{note}</span> : null}
      </button>
    </li>
  );
  return (
    <>
      {refs.length || others.length || node.parent ? (
        <>
          <h4>
            Uses
            {refs.length ? <span className="r">{plural(refs.length, "input")}</span> : null}
          </h4>
          <ul className="fl">
            {refs.map(([name, ref]) => {
              const found = hash(ref);
              return row(ref.split("/")[0]!, ref.replace("/", " / "), found ?? name, found !== undefined);
            })}
            {others.map((id) => row(id, id, "comes before"))}
            {node.parent ? row(node.parent, node.parent, "created it") : null}
          </ul>
        </>
      ) : null}
      {after.length ? (
        <>
          <h4>Used by</h4>
          <ul className="fl">{after.map(({ id, name }) => row(id, name, id.split("-")[0]))}</ul>
        </>
      ) : null}
    </>
  );
}

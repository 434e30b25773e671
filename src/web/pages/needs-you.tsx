/** One queue over all agents: what waits for the human, ranked, one of it open beside the list. All of it works by keys. */

import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useActs } from "../needs/acts.ts";
import { Batch } from "../needs/batch.tsx";
import { Decided } from "../needs/decided.tsx";
import { Focus } from "../needs/focus.tsx";
import { useLeaving } from "../needs/leaving.ts";
import { Meanwhile, participantsAtWork } from "../needs/meanwhile.tsx";
import { type Group, groupOf, type Need } from "../needs/queue.ts";
import { Row } from "../needs/row.tsx";
import { snooze } from "../needs/snooze.ts";
import { Snooze } from "../needs/snooze-button.tsx";
import { useNeeds } from "../needs/use-needs.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Empty, Loading } from "../parts/status/states.tsx";
import { plural } from "../parts/text/words.ts";
import { useDrawer } from "../shell/drawer.tsx";
import { PageHeader } from "../shell/header.tsx";
import { type Key, KeyCaps, keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { stepOf } from "../shell/use-step.ts";
import { useLink, useNow, useStates, useStore, useSummaries } from "../store/hooks.ts";
import { useUntrusted } from "../store/untrusted.ts";

const groups: Group[] = ["Decide now", "Approve", "Can wait", "Snoozed"];

export function Page() {
  const summaries = useSummaries();
  const { ready } = useLink();
  const { all, untilOf } = useNeeds();
  const drawer = useDrawer();
  const [only, setOnly] = useState("");
  const untrusted = useUntrusted();
  useToday();
  const sorted = groups.flatMap((group) =>
    all.flatMap((need) =>
      (!only || need.agent === only) && groupOf(need, untilOf(need.key) !== undefined) === group
        ? [{ ...need, group }]
        : [],
    ),
  );
  const waiting = sorted.filter(({ group }) => group !== "Snoozed").length;
  return (
    <>
      <PageHeader
        title="Needs you"
        icon="inbox"
        sub={ready ? (waiting ? plural(waiting, "thing") : untrusted ? "Not trusted" : "Nothing waits") : undefined}
      >
        <select
          className="pick-one flat"
          aria-label="Which agents"
          value={only}
          onChange={({ target }) => setOnly(target.value)}
        >
          <option value="">All agents</option>
          {summaries.map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </select>
        <Button
          look="ghost"
          aria-label="Decided today"
          onClick={() => drawer.open({ title: "Decided today", body: <Decided /> })}
        >
          <Icon name="history" />
          <span className="hide-phone">Decided</span>
        </Button>
      </PageHeader>
      {ready || sorted.length ? <Queue items={sorted} untilOf={untilOf} /> : <Loading rows={6} />}
    </>
  );
}

const dayMs = 86_400_000;

/** What rests is only a summary; what it did today is in its state. */
function useToday(): void {
  const store = useStore();
  const now = useNow(dayMs);
  const fresh = useSummaries()
    .filter(({ updated_at }) => now - Date.parse(updated_at) < dayMs)
    .slice(0, 30)
    .map(({ id }) => id)
    .join(" ");
  useEffect(() => {
    for (const id of fresh.split(" ")) if (id) store.open(id);
  }, [store, fresh]);
}

type Item = Need & { group: Group };

function Queue({ items, untilOf }: { items: Item[]; untilOf(key: string): number | undefined }) {
  const acts = useActs();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { open, move, at } = useSelection(items);
  const shown = useLeaving(items);
  const picked = items.flatMap((item) => (item.kind === "approval" && chosen.has(item.key) ? [item] : []));
  const pick = (key: string, on: boolean) =>
    setChosen((before) => new Set(on ? [...before, key] : [...before].filter((one) => one !== key)));
  const allow = () => {
    setChosen(new Set());
    acts.allowAll(picked);
  };
  const putOff = (ms: number) => {
    if (at) acts.putOff(at, ms);
  };
  useKey(keyMap.step, (_, name) => move(stepOf(name)));
  useKey(keyMap.snooze, () => (at && at.group !== "Snoozed" && picked.length === 0 ? putOff(3_600_000) : false));
  useKey(keyMap.select, () => (at?.kind === "approval" ? pick(at.key, !chosen.has(at.key)) : false));
  useKey(keyMap.openTalk, () =>
    at && picked.length === 0
      ? void navigate({ to: "/agents/$agent/talk", params: { agent: at.agent }, search: {} })
      : false,
  );
  const approvals = items.filter(({ group, kind }) => group === "Approve" && kind === "approval");
  return (
    <div className="ny">
      <section className="q" aria-label="Queue">
        {items.length === 0 ? <Quiet /> : null}
        {groups.map((group) => {
          const here = shown.filter(({ item }) => item.group === group);
          if (here.length === 0) return null;
          return (
            <section key={group} aria-label={group}>
              <div className="q-h">
                <h2>{group}</h2>
                <span className="c num">
                  {group === "Approve" && picked.length
                    ? `${picked.length} of ${approvals.length} chosen`
                    : here.filter(({ gone }) => !gone).length}
                </span>
                <span className="grow" />
                {group === "Approve" && picked.length < approvals.length ? (
                  <Button look="ghost" onClick={() => setChosen(new Set(approvals.map(({ key }) => key)))}>
                    Select all
                  </Button>
                ) : null}
              </div>
              <ul>
                {here.map(({ item, gone }) => (
                  <Row
                    key={item.key}
                    need={item}
                    gone={gone}
                    on={item.key === at?.key}
                    chosen={item.kind === "approval" && group === "Approve" ? chosen.has(item.key) : undefined}
                    until={group === "Snoozed" ? untilOf(item.key) : undefined}
                    open={() => open(item.key)}
                    choose={(on) => pick(item.key, on)}
                  />
                ))}
              </ul>
            </section>
          );
        })}
        <Meanwhile />
      </section>
      {picked.length ? (
        <div className="ny-stage">
          <Batch needs={picked} allow={allow} clear={() => setChosen(new Set())} remove={(key) => pick(key, false)} />
        </div>
      ) : at ? (
        <div className="ny-stage">
          <Focus
            key={at.key}
            need={at}
            acts={acts}
            later={
              at.group === "Snoozed" ? (
                <Button large onClick={() => snooze(at.key, 0)}>
                  Wake it
                </Button>
              ) : (
                <Snooze putOff={putOff} />
              )
            }
          />
        </div>
      ) : (
        <div className="ny-stage hide-phone" />
      )}
      <Keys kind={at?.kind} batch={picked.length > 0} />
    </div>
  );
}

function Quiet() {
  const names = participantsAtWork(useStates());
  const first = names[0];
  const untrusted = useUntrusted();
  if (untrusted)
    return (
      <Empty title="This home is not trusted" icon="alert">
        <p>Its agents do not run, so nothing arrives here. The bar above says what to do.</p>
      </Empty>
    );
  return (
    <Empty title="Nothing needs you" icon="inbox">
      {first ? (
        <>
          <p>
            {first.name}
            {names.length > 1 ? ` and ${plural(names.length - 1, "other")} are` : " is"} at work. What they ask comes
            here by itself.
          </p>
          <Link className="btn" to="/agents/$agent/graph" params={{ agent: first.agent }}>
            Watch the graph
          </Link>
        </>
      ) : (
        <p>Questions from agents, and agents that are stuck, appear here.</p>
      )}
    </Empty>
  );
}

/** What is open: when it is done, the one that came into its place. */
function useSelection(items: readonly Item[]) {
  const [key, setKey] = useState<string>();
  const place = useRef(0);
  const found = items.findIndex((item) => item.key === key);
  if (found >= 0) place.current = found;
  const at = items[found] ?? items[Math.min(place.current, items.length - 1)];
  const now = at?.key;
  // Unless a person has opened another one since it was drawn: theirs counts, whichever comes first.
  useEffect(() => setKey((before) => (before === key ? now : before)), [key, now]);
  return {
    at,
    open: setKey,
    move(by: number) {
      const index = items.findIndex((item) => item.key === now);
      const next = items[Math.max(0, Math.min(items.length - 1, index + by))];
      if (!next) return;
      setKey(next.key);
      const row = document.querySelector<HTMLElement>(`[data-need="${CSS.escape(next.key)}"]`);
      row?.focus();
      row?.scrollIntoView({ block: "nearest" });
    },
  };
}

/** Those that do something about what is open, with a word each. */
const hints: Record<"question" | "approval" | "host" | "vote", [Key, string][]> = {
  vote: [
    [keyMap.option, "choose"],
    [keyMap.answer, "vote"],
    [keyMap.ownWords, "reason"],
  ],
  host: [[keyMap.option, "answer"]],
  question: [
    [keyMap.option, "choose"],
    [keyMap.answer, "answer"],
    [keyMap.ownWords, "reply"],
  ],
  approval: [
    [keyMap.allow, "allow"],
    [keyMap.deny, "deny"],
    [keyMap.select, "select"],
  ],
};

function Keys({ kind, batch }: { kind: Need["kind"] | undefined; batch: boolean }) {
  const hint = ([key, word]: [Key, string]) => (
    <span key={word}>
      <KeyCaps of={key} /> {word}
    </span>
  );
  return (
    <div className="need-keys" aria-hidden="true">
      {hint([keyMap.step, "next, previous"])}
      {batch
        ? hint([keyMap.allowSelected, "allow what is selected"])
        : kind !== undefined && kind in hints
          ? hints[kind as keyof typeof hints].map(hint)
          : null}
      {batch || !kind ? null : hint([keyMap.snooze, "snooze"])}
      <span className="grow" />
      {hint([keyMap.help, "all keys"])}
    </div>
  );
}

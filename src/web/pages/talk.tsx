/** The conversation with an agent: with its coordinator, with one of its workers, or what all say to each other; that is the main one if nobody leads. */
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo } from "react";
import type { State } from "../../core/state.ts";
import { useChosen } from "../graph/chosen.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { NamedContext } from "../parts/text/named.tsx";
import { shortGoal } from "../parts/text/words.ts";
import { AgentHeader } from "../shell/header.tsx";
import { keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { People } from "../shell/people.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useAgentView, useClient, useEvents } from "../store/hooks.ts";
import { mainThread, threadSearch } from "../store/main-thread.ts";
import { createKept, useKept } from "../store/persisted-state.ts";
import { Composer } from "../talk/composer.tsx";
import { Rail } from "../talk/rail.tsx";
import { ThreadView } from "../talk/thread-view.tsx";
import { useUnread } from "../talk/unread.ts";
import { WorkerCard } from "../talk/worker-card.tsx";
import { WorkerRail } from "../talk/worker-rail.tsx";

const NodePanel = lazy(() => import("../talk/node-panel.tsx").then((module) => ({ default: module.NodePanel })));

const onlyResults = createKept<boolean>("agiraph.results", {
  parse: (text) => text === "1",
  format: (on) => (on ? "1" : "0"),
});

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const [resultsOnly, setResultsOnly] = useKept(onlyResults);
  const view = useAgentView(agent);
  const state = view?.state;
  const { with: of = mainThread(state) } = useSearch({ strict: false });
  const nobody = useNobody(agent, state, of);
  const [chosen, choose] = useChosen();
  const { say } = useToasts();
  const unread = useUnread(`${agent}/${of}`, state);
  // `choose` does the same each time, and a new object would draw every word again.
  const named = useMemo(() => ({ agent, open: choose }), [agent]);
  useSteps(agent, state, of);
  useRead(agent, state);
  if (view?.problem)
    return (
      <>
        <AgentHeader />
        <Failed what={`${agent} cannot be shown`} problem={view.problem} />
      </>
    );
  if (state && nobody)
    return (
      <>
        <AgentHeader />
        <Empty title={`No worker called ${of}`} icon="users">
          <p>{state.run ? `${agent} has no worker of this name.` : "No run has started, so nobody is here yet."}</p>
          <nav className="others" aria-label="People who are here">
            <People agent={agent} state={state} />
          </nav>
        </Empty>
      </>
    );
  const who = of === "channel" ? { id: "channel", name: "Channel", kind: "system" as const } : whoIs(state, of);
  const one = state?.participants.get(of);
  const worker = one && one.kind !== "human" && one.kind !== "coordinator" ? one : undefined;
  return (
    <NamedContext value={named}>
      <AgentHeader
        {...(state || of !== mainThread(state) ? { who } : {})}
        sub={<span title={view?.summary.goal}>{worker?.role ? `${agent}, ${shortGoal(worker.role, 40)}` : agent}</span>}
      >
        <button
          type="button"
          className="sw"
          role="switch"
          aria-checked={resultsOnly}
          onClick={() => {
            setResultsOnly(!resultsOnly);
            // Where there is room for its sign alone, it says what it did.
            if (matchMedia("(max-width: 720px)").matches)
              say({ look: "done", text: resultsOnly ? "Everything is shown." : "Only results are shown." });
          }}
        >
          <i />
          <Icon name="filter" />
          <span>Results only</span>
        </button>
      </AgentHeader>
      <div className={`talk ${chosen ? "with" : ""}`}>
        <div className="col">
          {state && worker ? <WorkerCard agent={agent} state={state} one={worker} /> : null}
          {state ? (
            <ThreadView
              key={`${agent}/${of}`}
              agent={agent}
              of={of}
              state={state}
              resultsOnly={resultsOnly}
              {...(unread ? { unread } : {})}
            />
          ) : (
            <Loading rows={6} />
          )}
          {state ? (
            <div className="dock">
              <Composer key={`${agent}/${of}`} agent={agent} of={of} state={state} />
            </div>
          ) : null}
        </div>
        {!state ? null : chosen ? (
          <Suspense fallback={<Loading rows={6} />}>
            <NodePanel
              key={chosen}
              agent={agent}
              state={state}
              id={chosen}
              choose={choose}
              close={() => choose(undefined)}
            />
          </Suspense>
        ) : worker ? (
          <WorkerRail agent={agent} state={state} one={worker} open={choose} />
        ) : (
          <Rail agent={agent} state={state} />
        )}
      </div>
    </NamedContext>
  );
}

/** Neither here now nor, as far as the events that are read tell, in an earlier run. */
function useNobody(agent: string, state: State | undefined, of: string): boolean {
  const { events, status } = useEvents(agent);
  if (!state || of === mainThread(state) || of === "channel" || (of !== "human" && state.participants.has(of)))
    return false;
  if (status !== "ready" && status !== "failed") return false;
  if (of === "coordinator")
    return !events.some(({ type, data }) => type === "run.started" && data.team?.lead !== false);
  return !events.some(({ type, data }) => type === "worker.spawned" && data.worker === of);
}

/** ⌥↑ and ⌥↓: the person above and below. */
function useSteps(agent: string, state: State | undefined, of: string): void {
  const navigate = useNavigate();
  const people = [...(state?.participants.values() ?? [])].flatMap(({ id, kind }) => (kind === "human" ? [] : [id]));
  const all = mainThread(state) === "channel" ? ["channel", ...people] : [...people, "channel"];
  const step = (by: number) => {
    const next = all[(all.indexOf(of) + by + all.length) % all.length]!;
    return void navigate({
      to: "/agents/$agent/talk",
      params: { agent },
      search: threadSearch(state, next),
    });
  };
  useKey(keyMap.person, (_, name) => step(name === "alt+arrowup" ? -1 : 1));
}

/** What is before the human's eyes is read. */
function useRead(agent: string, state: State | undefined): void {
  const client = useClient();
  const mark = state?.participants.get("human")?.read ?? 0;
  const newest = state?.channel.findLast(({ to }) => to.includes("human"))?.seq ?? 0;
  const finished = state?.run?.status === "completed" ? state.run.last_seq : 0;
  const upto = Math.max(newest, finished);
  const alive = state?.agent !== null && state?.agent?.status !== "archived";
  useEffect(() => {
    const read = () => {
      if (upto > mark && alive && document.visibilityState === "visible")
        client.markRead({ params: { agent }, body: { upto } }).catch(() => undefined); // the badge stays, nothing else
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => document.removeEventListener("visibilitychange", read);
  }, [client, agent, upto, mark, alive]);
}

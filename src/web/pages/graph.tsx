/** The work of an agent as a live graph, a board or a list; beside it everything about the node that the address names. */
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Board, List } from "../graph/board.tsx";
import { Canvas } from "../graph/canvas.tsx";
import { cardOf } from "../graph/cards.ts";
import { useChosen } from "../graph/chosen.ts";
import { NodeDrawer } from "../graph/drawer.tsx";
import { type Filter, fits, noFilter } from "../graph/filter.ts";
import { FilterButton } from "../graph/filter-button.tsx";
import { Button } from "../parts/controls/button.tsx";
import { Tabs } from "../parts/controls/tabs.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { AgentHeader } from "../shell/header.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useAgentView, useClient } from "../store/hooks.ts";
import { isLeaderless } from "../store/main-thread.ts";
import { createKept, noStorage, useKept } from "../store/persisted-state.ts";

const views = [
  { id: "graph", name: "Graph", icon: "graph" },
  { id: "board", name: "Board", icon: "board" },
  { id: "list", name: "List", icon: "list" },
] as const;
type View = (typeof views)[number]["id"];

/** As it was left, while the page is open. */
const lastView = createKept<View>(
  "view",
  {
    parse: (text) => (text as View | null) ?? (matchMedia("(max-width: 720px)").matches ? "list" : "graph"),
    format: (view) => view,
  },
  noStorage,
);
const following = createKept<boolean>(
  "follow",
  { parse: (text) => text !== "no", format: (on) => (on ? "" : "no") },
  noStorage,
);

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const [chosen, choose] = useChosen();
  const shown = useAgentView(agent);
  const [view, setView] = useKept(lastView);
  const [follow, keep] = useKept(following);
  const state = shown?.state;
  const [filter, setFilter] = useState<Filter>(noFilter);
  const all = useMemo(() => [...(state?.nodes.values() ?? [])].map((node) => cardOf(state!, node)), [state]);
  const people = useMemo(
    () => [...(state?.participants.values() ?? [])].filter(isWorker).map(({ id }) => whoIs(state, id)),
    [state],
  );
  const fit = useMemo(() => all.filter((one) => fits(filter, one)), [all, filter]);
  const client = useClient();
  const { attempt } = useToasts();
  const decide = (suggestion: string, decision: "add" | "dismiss") =>
    void attempt(client.decideSuggestion({ params: { agent, suggestion }, body: { decision } }));
  return (
    <>
      <AgentHeader />
      {shown?.problem ? (
        <Failed what="The graph cannot be shown" problem={shown.problem} />
      ) : !state ? (
        <Loading rows={6} />
      ) : state.nodes.size === 0 ? (
        <Empty title="Nothing on the board yet" icon="graph">
          <p>
            {!state.run
              ? "No run has started."
              : isLeaderless(state)
                ? "This team has no coordinator and works by talking; nodes appear here when somebody creates them."
                : "The coordinator decides what to do first; its nodes appear here as it creates them."}
          </p>
          {isLeaderless(state) ? (
            <Link className="btn" to="/agents/$agent/talk" params={{ agent }}>
              Open the channel
            </Link>
          ) : null}
        </Empty>
      ) : (
        <div className={`gr ${chosen === undefined ? "" : "with"}`}>
          <div className={`gr-v ${view}`}>
            {view === "graph" ? (
              <Canvas
                key={`${agent} ${state.run?.id}`}
                state={state}
                chosen={chosen}
                choose={choose}
                filter={filter}
                {...(state.run?.status === "open" ? { decide } : {})}
                follow={follow}
                moved={() => keep(false)}
              />
            ) : view === "board" ? (
              <Board views={fit} chosen={chosen} choose={choose} />
            ) : (
              <List state={state} views={fit} chosen={chosen} choose={choose} />
            )}
            <div className="tools">
              <Tabs label="View of the work" tabs={views} chosen={view} choose={setView} />
              <FilterButton filter={filter} setFilter={setFilter} people={people} found={[fit.length, all.length]} />
              <span className="grow" />
              {view === "graph" ? (
                <Button look="ghost" className="tog" role="switch" aria-checked={follow} onClick={() => keep(!follow)}>
                  <i />
                  Follow the newest
                </Button>
              ) : null}
            </div>
          </div>
          {chosen === undefined ? null : (
            <NodeDrawer agent={agent} state={state} id={chosen} choose={choose} close={() => choose(undefined)} />
          )}
        </div>
      )}
    </>
  );
}

const isWorker = ({ id, kind }: { id: string; kind: string }): boolean => kind !== "human" && id !== "coordinator";

/** The workspace of a run: what was planned, written, published, shared. */
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { Browser } from "../files/browser.tsx";
import { useSource } from "../files/source.ts";
import { Empty, Failed, Loading } from "../parts/states.tsx";
import { AgentHeader } from "../shell/header.tsx";
import { useAgentView } from "../store/hooks.ts";

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const view = useAgentView(agent);
  const state = view?.state;
  const [chosen, setChosen] = useState<string>();
  const now = state?.run?.id;
  const run = chosen ?? now;
  const current = run === now && state?.run?.status === "open";
  const source = useSource("workspace", agent, run, current);
  const runs = state ? [...(now ? [now] : []), ...state.past.map(({ id }) => id).toReversed()] : [];
  return (
    <>
      <AgentHeader sub="Files">
        {runs.length > 1 ? (
          <select
            className="pick-one"
            aria-label="Which run"
            value={run}
            onChange={({ target }) => setChosen(target.value)}
          >
            {runs.map((id) => (
              <option key={id} value={id}>
                {id === now ? `${id}, this run` : id}
              </option>
            ))}
          </select>
        ) : null}
      </AgentHeader>
      {view?.problem ? (
        <Failed what={`${agent} cannot be opened`} problem={view.problem} />
      ) : !state ? (
        <Loading rows={8} />
      ) : run ? (
        <Browser
          key={source.id}
          source={source}
          state={run === now ? state : undefined}
          fixed={current ? undefined : "This run is over; nothing is added to it"}
          placeholder="Find in files"
          first="_plan.md"
          about={
            <p>
              Every node has a folder: its spec, what it tried, what it published. Choose a file to read it; documents
              and specs can be edited.
            </p>
          }
        />
      ) : (
        <Empty title="No files yet" icon="files">
          <p>They come with the first run.</p>
        </Empty>
      )}
    </>
  );
}

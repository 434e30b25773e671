/** All files of an agent: soul, goal, memory, and the workspace of each run. */

import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { routes } from "../../api/index.ts";
import { addressOf } from "../../client/call.ts";
import { Browser } from "../files/browser.tsx";
import { useHouse } from "../files/house.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Download } from "../parts/files/download.tsx";
import { Failed, Loading } from "../parts/status/states.tsx";
import { AgentHeader } from "../shell/header.tsx";
import { useAgentView, useClient } from "../store/hooks.ts";
import "../style/files.css";

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const view = useAgentView(agent);
  const client = useClient();
  const state = view?.state;
  const source = useHouse(agent, state);
  const run = state?.run;
  const begin = useMemo(() => (run ? [run.id] : []), [run?.id]);
  return (
    <>
      <AgentHeader sub="Files">
        <Download
          className="btn take"
          address={addressOf(routes.exportAgent, { params: { agent } })}
          name={`${agent}.agiraph`}
          get={() => client.exportAgent({ params: { agent } })}
          label="Download agent"
          title="The agent with its log, files and memory, as one file"
        >
          <Icon name="dl" size={14} />
          <span>Download agent</span>
        </Download>
      </AgentHeader>
      {view?.problem ? (
        <Failed what={`${agent} cannot be opened`} problem={view.problem} />
      ) : !state ? (
        <Loading rows={8} />
      ) : (
        <Browser
          key={source.id}
          source={source}
          state={state}
          status={view.summary.status}
          begin={begin}
          fixed={
            state.agent?.status === "archived"
              ? "This agent is archived; its files are read-only"
              : run?.status === "open"
                ? undefined
                : "No open run; documents belong to a run"
          }
          placeholder="Find in files"
          {...(run ? { first: `${run.id}/_plan.md` } : {})}
          about={
            <p>
              Every run has a folder, and in it every node: its spec, what it tried, what it published. Choose a file to
              read it; documents and specs can be edited.
            </p>
          }
        />
      )}
    </>
  );
}

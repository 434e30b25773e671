/** The memory of an agent, kept from run to run: soul, goal, notes. All of it can be edited. */
import { useParams } from "@tanstack/react-router";
import { Browser } from "../files/browser.tsx";
import { useMemorySource } from "../files/source.ts";
import { Failed, Loading } from "../parts/states.tsx";
import { AgentHeader } from "../shell/header.tsx";
import { useAgentView } from "../store/hooks.ts";
import "../style/files.css";

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const view = useAgentView(agent);
  const source = useMemorySource(agent);
  return (
    <>
      <AgentHeader sub="Memory" />
      {view?.problem ? (
        <Failed what={`${agent} cannot be opened`} problem={view.problem} />
      ) : !view?.state ? (
        <Loading rows={8} />
      ) : (
        <Browser
          key={source.id}
          source={source}
          state={view.state}
          placeholder="Search the memory"
          first="SOUL.md"
          fixed={
            view.state.agent?.status === "archived" ? "This agent is archived; its memory is read-only" : undefined
          }
          about={
            <p>Who it is (SOUL.md), what it is for (GOAL.md), and what it has learnt. Agents see what you change.</p>
          }
        />
      )}
    </>
  );
}

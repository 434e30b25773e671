/** The memory of an agent, kept from run to run: what it knows and what is proposed, and its files: soul, goal, notes. All of it can be edited. */
import { useLocation, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { openInsights } from "../../core/agent/insight.ts";
import type { State } from "../../core/state.ts";
import { Browser } from "../files/browser.tsx";
import { useMemorySource } from "../files/source.ts";
import { KnownNotes } from "../memory/known.tsx";
import { Tabs } from "../parts/controls/tabs.tsx";
import { Failed, Loading } from "../parts/status/states.tsx";
import { AgentHeader } from "../shell/header.tsx";
import { useAgentView } from "../store/hooks.ts";
import "../style/files.css";
import "../style/memory.css";

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const view = useAgentView(agent);
  return (
    <>
      <AgentHeader sub="Memory" />
      {view?.problem ? (
        <Failed what={`${agent} cannot be opened`} problem={view.problem} />
      ) : !view?.state ? (
        <Loading rows={8} />
      ) : (
        <Memory agent={agent} state={view.state} />
      )}
    </>
  );
}

function Memory({ agent, state }: { agent: string; state: State }) {
  const { view } = useSearch({ strict: false }) as { view?: "known" };
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const source = useMemorySource(agent);
  const chosen = view === "known" && !hash ? "known" : "files";
  const choose = (next: "known" | "files", at = "") =>
    void navigate({
      to: "/agents/$agent/memory",
      params: { agent },
      search: next === "known" ? { view: "known" } : {},
      hash: at,
    });
  const tabs = [
    { id: "files" as const, name: "Files" },
    { id: "known" as const, name: "What it knows", count: openInsights(state).length },
  ];
  return (
    <div className="mem">
      <div className="mem-h">
        <Tabs label="Memory" tabs={tabs} chosen={chosen} choose={(id) => choose(id)} />
      </div>
      {chosen === "known" ? (
        <KnownNotes
          agent={agent}
          state={state}
          open={(path) => choose("files", path.split("/").map(encodeURIComponent).join("/"))}
        />
      ) : (
        <Browser
          key={source.id}
          source={source}
          state={state}
          placeholder="Search the memory"
          first="SOUL.md"
          fixed={state.agent?.status === "archived" ? "This agent is archived; its memory is read-only" : undefined}
          about={
            <p>Who it is (SOUL.md), what it is for (GOAL.md), and what it has learnt. Agents see what you change.</p>
          }
        />
      )}
    </div>
  );
}

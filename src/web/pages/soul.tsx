/** Who an agent is: the text, what the guard proposes to change, the versions and what came of each. */
import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { SoulView } from "../../api/soul.ts";
import type { Problem } from "../../schema/problem.ts";
import { Failed, Loading } from "../parts/status/states.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { AgentHeader } from "../shell/header.tsx";
import { SoulProposals } from "../soul/proposals.tsx";
import { SoulTeams } from "../soul/teams.tsx";
import { SoulVersions } from "../soul/versions.tsx";
import { useAgentView, useClient } from "../store/hooks.ts";
import "../style/soul.css";
import "../style/files.css";

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const client = useClient();
  const view = useAgentView(agent);
  const [soul, setSoul] = useState<SoulView>();
  const [problem, setProblem] = useState<Problem>();
  const state = view?.state;
  // Read again when the log has a new version or proposal, or one was decided.
  const mark =
    state && [state.soul.versions.at(-1)?.seq, ...[...state.soulProposals.values()].map(({ status }) => status)].join();
  useEffect(() => {
    if (mark === undefined) return;
    client.getSoul({ params: { agent } }).then(setSoul, setProblem);
  }, [client, agent, mark]);
  const failure = view?.problem ?? problem;
  const fixed = state?.agent?.status === "archived";
  return (
    <>
      <AgentHeader sub="Soul" />
      {failure ? (
        <Failed what="The soul cannot be shown" problem={failure} />
      ) : !soul ? (
        <Loading rows={6} />
      ) : (
        <div className="page soul">
          <section aria-label="Soul" className="soul-t">
            <header>
              <h2>Who it is</h2>
              <Link to="/agents/$agent/memory" params={{ agent }} className="lnk">
                Edit SOUL.md
              </Link>
            </header>
            <Markdown text={soul.text} />
          </section>
          <SoulTeams teams={state ? [...state.memberships.values()].reverse() : soul.teams} />
          <SoulProposals agent={agent} proposals={soul.proposals} fixed={fixed} changed={setSoul} />
          <SoulVersions agent={agent} versions={soul.versions} fixed={fixed} changed={setSoul} />
        </div>
      )}
    </>
  );
}

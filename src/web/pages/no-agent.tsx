/** Shown instead of the pages of an agent that does not exist, is archived, cannot be opened, or is in an untrusted home. */

import { Link } from "@tanstack/react-router";
import type { Summary } from "../../api/agents.ts";
import { routes } from "../../api/index.ts";
import { addressOf } from "../../client/call.ts";
import { Problem } from "../../schema/problem.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Download } from "../parts/files/download.tsx";
import { Empty, Failed } from "../parts/status/states.tsx";
import { agentLook, StatusDot } from "../parts/status/status.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { clock, day, shortGoal } from "../parts/text/words.ts";
import { PageHeader } from "../shell/header.tsx";
import { useClient, useSummaries } from "../store/hooks.ts";

export function NoAgent({ agent, found }: { agent: string; found: Summary | Problem }) {
  if (found instanceof Problem) return <None agent={agent} problem={found} />;
  return found.status === "archived" ? <Archived summary={found} /> : <Lost summary={found} />;
}

function None({ agent, problem }: { agent: string; problem: Problem }) {
  if (problem.code !== "not_found" && problem.code !== "invalid")
    return (
      <>
        <PageHeader title={agent} />
        <Failed what={`${agent} cannot be shown`} problem={problem} />
      </>
    );
  return (
    <>
      <PageHeader title="No such agent" />
      <Empty title={`No agent called ${agent}`} icon="search">
        <Others />
      </Empty>
    </>
  );
}

function Lost({ summary: { id, reason, status } }: { summary: Summary }) {
  const isUntrusted = status === "untrusted";
  return (
    <>
      <PageHeader title={id} sub={agentLook(status).word} />
      <Failed what={isUntrusted ? `${id} stands still` : `${id} cannot be opened`}>
        <p>{reason?.message ?? "Its log could not be read."}</p>
        <p>Nothing was changed: its log and files are in its folder.</p>
        <Others />
      </Failed>
    </>
  );
}

function Archived({ summary: { id, goal, reason, result, updated_at } }: { summary: Summary }) {
  const client = useClient();
  return (
    <>
      <PageHeader title={id} sub="Archived" />
      <Empty title={`${id} is archived`} icon="layers">
        <p>{shortGoal(goal, 200)}</p>
        <p>
          Since {day(updated_at)}, {clock(updated_at)}
          {reason ? `: ${reason.message}` : ""}. It accepts no more commands; what it made stays.
        </p>
        {result ? (
          <div className="card result archived">
            <Markdown text={result} />
          </div>
        ) : null}
        <Download
          className="btn"
          address={addressOf(routes.exportAgent, { params: { agent: id } })}
          name={`${id}.agiraph`}
          get={() => client.exportAgent({ params: { agent: id } })}
        >
          <Icon name="dl" size={14} />
          Download agent
        </Download>
        <Others />
      </Empty>
    </>
  );
}

const mostOthers = 8;

function Others() {
  const summaries = useSummaries();
  return (
    <nav className="others" aria-label="Other agents">
      {summaries.slice(0, mostOthers).map(({ id, goal, status }) => (
        <Link key={id} className="row" to="/agents/$agent/talk" params={{ agent: id }}>
          <StatusDot {...agentLook(status)} />
          <span className="name">{id}</span>
          <span className="sub ell">{shortGoal(goal)}</span>
        </Link>
      ))}
      <Link className="row" to="/new">
        <Icon name="plus" size={14} />
        <span className="name">New agent</span>
      </Link>
    </nav>
  );
}

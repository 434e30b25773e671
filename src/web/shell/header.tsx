/** The line above a page: who or what, Talk / Graph / Timeline, then the run, the spend and Stop. The same everywhere. */
import { Link, useNavigate, useParams, useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { agentPages, agentPagesIn } from "../page-list.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, type Who } from "../parts/status/avatar.tsx";
import { Money, Ring } from "../parts/status/money.tsx";
import { agentLook, StatusDot } from "../parts/status/status.tsx";
import { Age } from "../parts/text/time.tsx";
import { shortGoal } from "../parts/text/words.ts";
import { useAgentView } from "../store/hooks.ts";
import { KeyCaps } from "./key-map.tsx";
import { useKey } from "./keys.tsx";
import { Stop } from "./stop.tsx";

/** Of a page that belongs to no agent. */
interface Given {
  title: string;
  icon?: string;
  sub?: ReactNode;
  children?: ReactNode;
}

export function PageHeader({ title, icon, sub, children }: Given) {
  return (
    <header className="top">
      <div className="who">
        {icon ? <Icon name={icon} className="who-i" /> : null}
        <div className="who-t">
          <h1>{title}</h1>
          {sub ? <span className="who-s">{sub}</span> : null}
        </div>
      </div>
      <div className="top-r">{children}</div>
    </header>
  );
}

const views = agentPagesIn("header");

/** `who`: whom the page is about; what it shows of the agent, or the agent itself, if missing. */
export function AgentHeader({ who, sub, children }: { who?: Who; sub?: ReactNode; children?: ReactNode }) {
  const { agent = "" } = useParams({ strict: false });
  const view = useAgentView(agent);
  const navigate = useNavigate();
  for (const { view, key } of agentPages)
    if (key) useKey(key, () => void navigate({ to: `/agents/$agent/${view}`, params: { agent } }));
  const summary = view?.summary;
  const limit = view?.state?.accounts.get("agent")?.limit.usd;
  const { look, word } = agentLook(summary?.status ?? "idle");
  const run = view?.state?.run;
  const place = useRouterState({ select: ({ location }) => location.pathname.split("/").at(-1) ?? "" });
  const page = who ? undefined : agentPages.find(({ view }) => view === place && view !== "talk");
  return (
    <header className="top">
      <div className="who">
        {who ? <Avatar who={who} size={24} /> : null}
        {page ? <Icon name={page.icon} className="who-i" /> : null}
        <div className="who-t">
          <h1>{who?.name ?? page?.name ?? agent}</h1>
          <span className="who-s">{page ? agent : (sub ?? shortGoal(summary?.goal ?? ""))}</span>
        </div>
        {children}
      </div>
      <nav className="seg" aria-label="View">
        {views.map(({ view: to, name, icon, key }) => (
          <Link
            key={to}
            to={`/agents/$agent/${to}`}
            params={{ agent }}
            activeProps={{ className: "on", "aria-current": "page" }}
          >
            <Icon name={icon} />
            {name}
            {key ? <KeyCaps of={key} /> : null}
          </Link>
        ))}
      </nav>
      <div className="top-r">
        {run ? (
          <span className="stat" title={`${run.id}: ${word}`}>
            <StatusDot look={look} word={word} />
            <span>{run.id}</span>
            <span className="dim">
              {run.status === "open" && !/^(paused|stopped|failed)$/.test(summary?.status ?? "") ? (
                <Age since={run.started_at} />
              ) : (
                word.toLowerCase()
              )}
            </span>
          </span>
        ) : null}
        {summary ? (
          <Link className="stat" to="/agents/$agent/cost" params={{ agent }} title="What it cost">
            {limit === undefined ? null : <Ring share={summary.cost.usd / Math.max(limit, 1e-9)} />}
            <Money usd={summary.cost.usd} of={limit} />
          </Link>
        ) : null}
        {summary ? <Stop summary={summary} state={view?.state} /> : null}
      </div>
    </header>
  );
}

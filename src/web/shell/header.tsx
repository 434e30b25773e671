/** The line above a page: who or what, Talk / Graph / Time, then the run, the spend and Stop. The same everywhere. */
import { Link, useNavigate, useParams, useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Avatar, type Who } from "../parts/avatar.tsx";
import { Icon } from "../parts/icon.tsx";
import { Money, Ring } from "../parts/money.tsx";
import { agentLook, StatusDot } from "../parts/status.tsx";
import { Age } from "../parts/time.tsx";
import { shortGoal } from "../parts/words.ts";
import { useAgentView } from "../store/hooks.ts";
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

const views = [
  { to: "/agents/$agent/talk", name: "Talk", icon: "talk", key: "T" },
  { to: "/agents/$agent/graph", name: "Graph", icon: "graph", key: "G" },
  { to: "/agents/$agent/time", name: "Time", icon: "time", key: "L" },
] as const;

/** Pages that are about an agent and about nobody in it. */
const things: Record<string, { name: string; icon: string }> = {
  files: { name: "Files", icon: "files" },
  memory: { name: "Memory", icon: "memory" },
  triggers: { name: "Triggers", icon: "bolt" },
  cost: { name: "Cost", icon: "cost" },
  graph: { name: "Graph", icon: "graph" },
  time: { name: "Time", icon: "time" },
};

/** `who`: whom the page is about; what it shows of the agent, or the agent itself, if missing. */
export function AgentHeader({ who, sub, children }: { who?: Who; sub?: ReactNode; children?: ReactNode }) {
  const { agent = "" } = useParams({ strict: false });
  const view = useAgentView(agent);
  const navigate = useNavigate();
  for (const { to, name, key } of views)
    useKey(key.toLowerCase(), name, () => void navigate({ to, params: { agent } }));
  const summary = view?.summary;
  const limit = view?.state?.accounts.get("agent")?.limit.usd;
  const { look, word } = agentLook(summary?.status ?? "idle");
  const run = view?.state?.run;
  const place = useRouterState({ select: ({ location }) => location.pathname.split("/").at(-1) ?? "" });
  const thing = who ? undefined : things[place];
  return (
    <header className="top">
      <div className="who">
        {who ? <Avatar who={who} size={24} /> : null}
        {thing ? <Icon name={thing.icon} className="who-i" /> : null}
        <div className="who-t">
          <h1>{who?.name ?? thing?.name ?? agent}</h1>
          <span className="who-s">{thing ? agent : (sub ?? shortGoal(summary?.goal ?? ""))}</span>
        </div>
        {children}
      </div>
      <nav className="seg" aria-label="View">
        {views.map(({ to, name, icon, key }) => (
          <Link key={to} to={to} params={{ agent }} activeProps={{ className: "on", "aria-current": "page" }}>
            <Icon name={icon} />
            {name}
            <kbd>{key}</kbd>
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

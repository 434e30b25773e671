/** People first, pages after: what needs the human, the agents with who works in them, a new agent. */
import { Link, useNavigate, useParams, useRouterState } from "@tanstack/react-router";
import { memo, useEffect, useState } from "react";
import type { Summary } from "../../api/agents.ts";
import { money } from "../../lib/text/amounts.ts";
import { useNeedsCount } from "../needs/use-needs.ts";
import { agentPagesIn, hasPage, homePages } from "../page-list.ts";
import { IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { agentLookIn, StatusDot } from "../parts/status/status.tsx";
import { clock } from "../parts/text/words.ts";
import { now } from "../platform.ts";
import { useAgent, useHeld, useLink, useStore, useSummaries } from "../store/hooks.ts";
import { toggleTheme } from "../store/theme.ts";
import { openHelp } from "./help.tsx";
import { useKey } from "./keys.tsx";
import { openPalette } from "./palette.tsx";
import { People } from "./people.tsx";

const asked = "agiraph:side";
/** On a phone it is a sheet over the page. */
export const toggleSidebar = (): void => void dispatchEvent(new CustomEvent(asked));

function useSheet(): boolean {
  const [open, setOpen] = useState(false);
  const place = useRouterState({ select: ({ location }) => location.href });
  useEffect(() => {
    if (place) setOpen(false);
  }, [place]);
  useEffect(() => {
    const toggle = () => setOpen((was) => !was);
    addEventListener(asked, toggle);
    return () => removeEventListener(asked, toggle);
  }, []);
  return open;
}

export function Sidebar() {
  const open = useSheet();
  const navigate = useNavigate();
  useKey(needsYou.key, () => void navigate({ to: needsYou.path }));
  useKey(newAgent.key, () => void navigate({ to: newAgent.path }));
  const summaries = useSummaries();
  const count = useNeedsCount();
  return (
    <nav className={`side ${open ? "open" : ""}`} aria-label="Agents">
      <div className="side-top">
        <span className="mark">
          <Icon name="mark" />
        </span>
        <b>Agiraph</b>
        <span className="grow" />
        <IconButton label="Search and commands" onClick={openPalette}>
          <Icon name="search" />
        </IconButton>
        <Link className="ib" to={newAgent.path} aria-label={newAgent.name} title={newAgent.name}>
          <Icon name={newAgent.icon} />
        </Link>
      </div>
      <div className="side-scroll">
        <Link className="row lead" to={needsYou.path} activeProps={{ className: "on" }}>
          <Icon name={needsYou.icon} />
          <span className="name">{needsYou.name}</span>
          {count > 0 ? (
            <span className="badge amber" data-testid="needs-count">
              {count}
            </span>
          ) : null}
        </Link>
        <Link className="row lead" to={workflows.path} activeProps={{ className: "on" }}>
          <Icon name={workflows.icon} />
          <span className="name">{workflows.name}</span>
        </Link>
        {summaries.map((summary) => (
          <Group key={summary.id} summary={summary} />
        ))}
        <Link className="row new" to={newAgent.path} activeProps={{ className: "on" }}>
          <Icon name={newAgent.icon} />
          <span className="name">{newAgent.name}</span>
        </Link>
      </div>
      <Foot />
    </nav>
  );
}

const pages = agentPagesIn("sidebar");
const { needsYou, newAgent, settings, workflows } = homePages;

/** Drawn again only when its own agent changed: there may be many. */
const Group = memo(({ summary }: { summary: Summary }) => {
  const { id: agent, status, unread } = summary;
  const answered = useHeld().filter((one) => one.agent === agent).length;
  const open_questions = Math.max(0, summary.open_questions - answered);
  const { agent: current } = useParams({ strict: false });
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? current === agent;
  const { look, word } = agentLookIn(status, useStore().agent(agent)?.state);
  return (
    <div className={`grp ${open ? "" : "shut"}`}>
      <button
        type="button"
        className="grp-h"
        aria-expanded={open}
        onClick={() => setChosen(!open)}
        title={summary.goal}
      >
        <Icon name={open ? "down" : "right"} size={12} />
        <span>{agent}</span>
        {!open && (unread > 0 || open_questions > 0) ? (
          <span className={`badge ${open_questions ? "amber" : ""}`}>{open_questions || unread}</span>
        ) : null}
        {status === "completed" ? <span className="sub">landed</span> : <NextFire agent={agent} />}
        <StatusDot look={look} word={word} />
      </button>
      {open ? <Opened summary={summary} /> : null}
    </div>
  );
});

/** When it wakes by itself, if that is today. */
function NextFire({ agent }: { agent: string }) {
  const triggers = useStore().agent(agent)?.state?.triggers;
  const [next] = [...(triggers?.values() ?? [])]
    .flatMap((one) => (one.status === "active" && one.next_at ? [one.next_at] : []))
    .sort();
  if (!next || Date.parse(next) - now() > 86_400_000) return null;
  return (
    <span className="sub" title="Next trigger">
      {clock(next)}
    </span>
  );
}

function Opened({ summary: { id: agent, cost } }: { summary: Summary }) {
  const state = useAgent(agent);
  const triggers = [...(state?.triggers.values() ?? [])].length;
  const votes = [...(state?.proposals.values() ?? [])].filter(({ status }) => status === "open").length;
  const notes: Record<string, string> = {
    triggers: triggers ? String(triggers) : "",
    cost: cost.usd ? money(cost.usd) : "",
    decisions: votes ? String(votes) : "",
    documents: state?.documents.size ? String(state.documents.size) : "",
  };
  return (
    <>
      <People agent={agent} state={state} />
      <div className="rule" />
      {pages
        .filter((one) => hasPage(one, state?.agent))
        .map(({ view, name, icon }) => (
          <Link
            key={view}
            className="row tool"
            to={`/agents/$agent/${view}`}
            params={{ agent }}
            activeProps={{ className: "on" }}
          >
            <Icon name={icon} />
            <span className="name">{name}</span>
            <span className="sub">{notes[view] ?? ""}</span>
          </Link>
        ))}
    </>
  );
}

function Foot() {
  const { status } = useLink();
  const host = useRouterState({ select: () => location.host });
  const words = { connecting: "Connecting", live: "Live", offline: "Offline", closed: "Closed" };
  return (
    <div className="side-foot">
      <span className={`live ${status}`}>
        <i />
        {words[status]}
      </span>
      <span className="sub num">{host}</span>
      <span className="grow" />
      <IconButton label="Switch theme" onClick={toggleTheme}>
        <Icon name="moon" className="only-light" />
        <Icon name="sun" className="only-dark" />
      </IconButton>
      <Link className="ib" to={settings.path} aria-label={settings.name} title={settings.name}>
        <Icon name={settings.icon} />
      </Link>
      <IconButton label="All keys" onClick={openHelp}>
        <Icon name="help" />
      </IconButton>
    </div>
  );
}

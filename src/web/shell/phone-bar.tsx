/** The bar at the bottom on narrow screens, with what needs the human first. */
import { Link, useParams } from "@tanstack/react-router";
import { useNeedsCount } from "../needs/use-needs.ts";
import { agentPagesIn, homePages } from "../page-list.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { useSummaries } from "../store/hooks.ts";
import { toggleSidebar } from "./sidebar.tsx";

const pages = agentPagesIn("phone");
const { needsYou, newAgent } = homePages;

export function PhoneBar() {
  const count = useNeedsCount();
  const { agent: current } = useParams({ strict: false });
  const [first] = useSummaries();
  const agent = current ?? first?.id;
  return (
    <nav className="tabbar" aria-label="Pages">
      <Link to={needsYou.path} activeProps={{ className: "on" }}>
        <Icon name={needsYou.icon} size={20} />
        {needsYou.name}
        {count > 0 ? <span className="badge amber">{count}</span> : null}
      </Link>
      {agent ? (
        pages.map(({ view, name, icon }) => (
          <Link key={view} to={`/agents/$agent/${view}`} params={{ agent }} activeProps={{ className: "on" }}>
            <Icon name={icon} size={20} />
            {name}
          </Link>
        ))
      ) : (
        <Link to={newAgent.path} activeProps={{ className: "on" }}>
          <Icon name={newAgent.icon} size={20} />
          {newAgent.name}
        </Link>
      )}
      <button type="button" onClick={toggleSidebar}>
        <Icon name="more" size={20} />
        More
      </button>
    </nav>
  );
}

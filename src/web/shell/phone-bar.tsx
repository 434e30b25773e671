/** The bar below, on narrow screens: what needs the human first. */
import { Link, useParams } from "@tanstack/react-router";
import { useNeedsCount } from "../needs/use-needs.ts";
import { Icon } from "../parts/icon.tsx";
import { useSummaries } from "../store/hooks.ts";
import { toggleSidebar } from "./sidebar.tsx";

export function PhoneBar() {
  const count = useNeedsCount();
  const { agent: current } = useParams({ strict: false });
  const [first] = useSummaries();
  const agent = current ?? first?.id;
  return (
    <nav className="tabbar" aria-label="Pages">
      <Link to="/needs-you" activeProps={{ className: "on" }}>
        <Icon name="inbox" size={20} />
        Needs you
        {count > 0 ? <span className="badge amber">{count}</span> : null}
      </Link>
      {agent ? (
        <>
          <Link to="/agents/$agent/talk" params={{ agent }} activeProps={{ className: "on" }}>
            <Icon name="talk" size={20} />
            Talk
          </Link>
          <Link to="/agents/$agent/graph" params={{ agent }} activeProps={{ className: "on" }}>
            <Icon name="graph" size={20} />
            Graph
          </Link>
          <Link to="/agents/$agent/files" params={{ agent }} activeProps={{ className: "on" }}>
            <Icon name="files" size={20} />
            Files
          </Link>
        </>
      ) : (
        <Link to="/new" activeProps={{ className: "on" }}>
          <Icon name="plus" size={20} />
          New agent
        </Link>
      )}
      <button type="button" onClick={toggleSidebar}>
        <Icon name="more" size={20} />
        More
      </button>
    </nav>
  );
}

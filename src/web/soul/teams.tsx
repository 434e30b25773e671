/** The teams of other agents in which this one takes part, the latest first, and whether it owes one of them something. */
import { Link } from "@tanstack/react-router";
import type { Membership } from "../../schema/membership.ts";
import { Time } from "../parts/text/time.tsx";

export function SoulTeams({ teams }: { teams: readonly Membership[] }) {
  if (!teams.length) return null;
  return (
    <section aria-label="Teams">
      <h2>Teams</h2>
      <p className="dim">It takes part in these as a guest, with this soul and its own memory.</p>
      <ul className="soul-v">
        {teams.map(({ team, as, run, since, upto, handled }) => (
          <li key={team} className="soul-r">
            <Link className="lnk" to="/agents/$agent/talk" params={{ agent: team }}>
              {team}
            </Link>
            <span>
              as <b>{as}</b>, {run}
            </span>
            <span className="grow" />
            <span className="dim">{handled < upto ? "has a message to handle" : "nothing open"}</span>
            <span className="num dim">
              since <Time at={since} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

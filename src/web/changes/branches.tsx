/** Whose change is looked at: all that was merged, or what one node published or had when it ended. */
import type { Changes, NodeChange } from "../../api/changes.ts";
import type { State } from "../../core/state.ts";
import { Stat } from "../diff/stat.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { EvidenceMark } from "../parts/status/evidence.tsx";
import { nodeLook, StatusDot } from "../parts/status/status.tsx";

interface Given {
  changes: Changes;
  state: State | undefined;
  /** Id of a node; `merged` for all that was merged. */
  chosen: string;
  choose(id: string): void;
}

export const idOf = ({ node }: NodeChange): string => node ?? "coordinator";

export function Branches({ changes, state, chosen, choose }: Given) {
  const { integration, nodes } = changes;
  return (
    <div className="brs">
      <div className="dv-tree-h">Changes</div>
      <button
        type="button"
        className={`br ${chosen === "merged" ? "on" : ""}`}
        aria-current={chosen === "merged" || undefined}
        onClick={() => choose("merged")}
      >
        <Icon name="merge" size={14} />
        <span className="t">
          <b className="ell">All merged work</b>
          <span className="dim">
            <span className="ell">{integration ? mergedCount(nodes) : "nothing merged yet"}</span>
            <span className="grow" />
            {integration ? <Stat {...integration} /> : null}
          </span>
        </span>
      </button>
      {nodes.map((one) => (
        <button
          key={idOf(one)}
          type="button"
          className={`br ${chosen === idOf(one) ? "on" : ""}`}
          aria-current={chosen === idOf(one) || undefined}
          title={one.change?.branch}
          onClick={() => choose(idOf(one))}
        >
          <StatusDot look={nodeLook(one.status).look} word={nodeLook(one.status).word} size={12} />
          <span className="t">
            <b className="ell">{one.name}</b>
            <span className="dim">
              {one.worker ? <Avatar who={whoIs(state, one.worker)} size={14} /> : null}
              <span className="ell">{standing(one, state)}</span>
              <span className="grow" />
              {one.change ? <Stat {...one.change} /> : null}
              {one.evidence ? <EvidenceMark evidence={one.evidence} small /> : null}
            </span>
          </span>
        </button>
      ))}
    </div>
  );
}

/** What became of it, in a few words. */
function standing({ node, change, published, merged, through, status }: NodeChange, state: State | undefined): string {
  const conflict = node && !merged ? state?.workspaces.get(node)?.merging?.node : undefined;
  if (conflict) return `resolves the conflict of ${conflict.split("-")[0]}`;
  if (!change) return status === "running" || status === "waiting" ? "at work, no change yet" : "no change";
  if (merged) return through ? `merged through ${through.split("-")[0]}` : "merged";
  if (published) return "not merged";
  if (status === "failed" || status === "cancelled") return "kept as it was";
  return "at work";
}

function mergedCount(nodes: readonly NodeChange[]): string {
  const count = nodes.filter(({ merged }) => merged).length;
  return count === 1 ? "1 node" : `${count} nodes`;
}

/** What a node changed in the user's repository: the files in short, what became of it, and the way to the diff. Nothing if it works elsewhere. */
import { Link, useNavigate } from "@tanstack/react-router";
import { mergedThrough } from "../../core/file/unmerged.ts";
import type { State } from "../../core/state.ts";
import { Stat } from "../diff/stat.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { plural } from "../parts/text/words.ts";
import type { DrawerSubject } from "./drawer.tsx";

const most = 8;

export function ChangeOf({ agent, state, node, choose }: Pick<DrawerSubject, "agent" | "state" | "node" | "choose">) {
  const navigate = useNavigate();
  const see = () => void navigate({ to: "/agents/$agent/changes", params: { agent }, search: { node: node.id } });
  const workspace = state.workspaces.get(node.id);
  const published = node.status === "completed" ? node.change : undefined;
  const kept = workspace?.kept;
  const size = published ?? kept;
  if (!workspace || !size) return null;
  const files = published?.files ?? [];
  const count = published ? files.length + (published.more_files ?? 0) : (kept?.files ?? 0);
  const conflict = workspace.merging?.node ?? node.resolves;
  return (
    <>
      <h4>
        Change
        <span className="r num">
          {plural(count, "file")} <Stat added={size.added ?? 0} removed={size.removed ?? 0} />
        </span>
      </h4>
      <p className="small dim">
        {becameOf(state, node)}
        {conflict ? (
          <>
            {" "}
            It resolves the conflict of{" "}
            <button type="button" className="lnk" onClick={() => choose(conflict)}>
              {conflict}
            </button>
            .
          </>
        ) : null}
      </p>
      <ul className="fl">
        {files.slice(0, most).map(({ path, added, removed }) => (
          <li key={path}>
            <button type="button" onClick={see}>
              <Icon name="code" size={14} />
              <span className="ell mono">{path}</span>
              <span className="r">
                <Stat added={added} removed={removed} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <Link className="btn" to="/agents/$agent/changes" params={{ agent }} search={{ node: node.id }}>
        <Icon name="merge" size={14} />
        {count > most ? `See all ${count} files` : "See the diff"}
      </Link>
    </>
  );
}

function becameOf(state: State, node: DrawerSubject["node"]): string {
  const through = mergedThrough(state).get(node.id);
  if (through) return `Merged into the integration branch${through === node.id ? "" : ` through ${through}`}.`;
  if (node.status === "completed") return "Published, not merged yet.";
  if (node.status === "failed" || node.status === "cancelled") return "Kept as it was when the node ended.";
  return "As its worker has it now; not published yet.";
}

/** Files that nodes have published, newest last, each a link to it. Nothing if there are none. */
import { Link } from "@tanstack/react-router";
import type { Node } from "../../schema/node.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { iconOf } from "../parts/files/file-icon.ts";
import { plural } from "../parts/text/words.ts";
import { pathOf } from "./artefact.tsx";

const most = 8;
type Completed = Extract<Node, { status: "completed" }>;

interface Given {
  agent: string;
  nodes: Iterable<Node>;
  /** What stands behind a file: who made it, or where. */
  note(node: Completed): string;
}

export function Published({ agent, nodes, note }: Given) {
  const files = [...nodes].flatMap((node) =>
    node.status === "completed" ? node.files.map(({ path }) => ({ path, node })) : [],
  );
  if (files.length === 0) return null;
  return (
    <section className="sec">
      <div className="sec-h">
        Published<span className="r">{plural(files.length, "file")}</span>
      </div>
      <ul className="files">
        {files.slice(-most).map(({ path, node }) => (
          <li key={`${node.id}/${path}`}>
            <Icon name={iconOf(path)} size={14} />
            <Link className="ell" to="/agents/$agent/files" params={{ agent }} hash={pathOf(node.id, path)}>
              {path.split("/").at(-1)}
            </Link>
            <span className="r">{note(node)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

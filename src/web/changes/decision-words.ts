/** What each decision about merged work does to the user's repository, said before it is made. */
import type { Changes, NodeChange } from "../../api/changes.ts";
import type { Change } from "../../schema/diff.ts";
import { plural } from "../parts/text/words.ts";

export type Way = "merge" | "branch" | "patch";

export interface Decision {
  way: Way;
  button: string;
  /** In a sentence or two. */
  does: string;
  /** Why it cannot be made now. */
  why?: string;
  /** What is filled in as a name, if one is wanted. */
  name: string;
}

/** `node`: only that change; everything that was merged if missing. */
export function decisionsOf(agent: string, changes: Changes, node?: NodeChange): Decision[] {
  const { workspace } = changes;
  const change = node ? node.change : changes.integration;
  const why = whyNot(changes, node);
  const with_ = why === undefined ? {} : { why };
  const size = change ? sizeOf(change) : "";
  const name = node?.node ?? agent;
  const patch: Decision = {
    ...{ way: "patch", button: "Save a patch", name: `${name}.patch`, ...with_ },
    does: `Writes ${size || "the change"} to one patch file. Your ${workspace?.kind ?? "folder"} stays as it is.`,
  };
  if (workspace?.kind === "folder")
    return [
      {
        ...{ way: "merge", button: "Copy into the folder", name: "", ...with_ },
        does: `Changes ${size} in ${workspace.folder}. Files that you edited meanwhile are not overwritten.`,
      },
      patch,
    ];
  const branch = workspace?.branch ?? "";
  return [
    {
      ...{ way: "merge", button: branch ? `Merge into ${branch}` : "Merge into a branch", name: branch, ...with_ },
      does: `Merges ${size || "the change"} into ${branch || "a branch that you name"} on this machine, and into your checkout if it is on that branch. Nothing is pushed, and edits of yours are not overwritten.`,
    },
    {
      ...{ way: "branch", button: "Make a branch", name: `agiraph/${name}`, ...with_ },
      does: `A new branch in your repository has ${size || "the change"}. ${
        branch ? `${branch} and your checkout stay as they are` : "Your checkout stays as it is"
      }.`,
    },
    patch,
  ];
}

const sizeOf = ({ files, more_files = 0, added, removed }: Change): string =>
  `${plural(files.length + more_files, "file")}, +${added} −${removed}`;

function whyNot({ integration, workspace }: Changes, node: NodeChange | undefined): string | undefined {
  if (!workspace) return "This agent works on no repository";
  const change = node ? node.change : integration;
  if (change && change.files.length + (change.more_files ?? 0) > 0) return undefined;
  if (node) return "This node has changed nothing yet";
  return integration
    ? "What was merged changes nothing"
    : "Nothing was merged into the integration branch yet; choose a node to take only its change";
}

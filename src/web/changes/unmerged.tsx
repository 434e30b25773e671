/** What was published and is not part of all merged work: named wherever that is looked at or taken over. */
import type { Changes } from "../../api/changes.ts";
import { Icon } from "../parts/controls/icon.tsx";

export function Unmerged({ changes: { unmerged, nodes } }: { changes: Pick<Changes, "unmerged" | "nodes"> }) {
  if (!unmerged.length) return null;
  const names = unmerged.map((id) => nodes.find(({ node }) => node === id)?.name ?? id);
  return (
    <p className="warn">
      <Icon name="alert" size={14} />
      <span>Not merged, so not part of it: {names.join(", ")}</span>
    </p>
  );
}

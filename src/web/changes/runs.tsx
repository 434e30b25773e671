/** Which run's changes are looked at, if there was more than one. */
import type { Changes } from "../../api/changes.ts";

export function Runs({ changes: { run, runs }, choose }: { changes: Changes; choose(run: string): void }) {
  if (runs.length < 2) return null;
  return (
    <select className="form-input" aria-label="Run" value={run ?? ""} onChange={({ target }) => choose(target.value)}>
      {runs.toReversed().map((id, at) => (
        <option key={id} value={id}>
          {at ? `Earlier run ${id}` : `Current run ${id}`}
        </option>
      ))}
    </select>
  );
}

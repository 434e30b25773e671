/** Shown when this window is not signed in, or its session ended. */
import { shellLine } from "../../lib/command-line.ts";
import type { Problem } from "../../schema/problem.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";

export function Closed({ problem }: { problem: Problem }) {
  const gone = problem.code === "unreachable";
  return (
    <main className="closed">
      <Icon name="mark" size={28} />
      <h1>{gone ? "Agiraph is not responding" : "You are not signed in"}</h1>
      {gone ? (
        <p>Nothing is lost: agents are stored on disk. Start the daemon in a terminal, then reload.</p>
      ) : (
        <p>
          Only windows that you open from a terminal may see your agents. Run this and open the address it prints; it is
          good once and for a minute.
        </p>
      )}
      <pre className="mono">{shellLine("open")}</pre>
      <Button onClick={() => location.reload()}>Reload</Button>
    </main>
  );
}

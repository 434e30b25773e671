/** When this window was not let in, or not any more: what to do about it. */
import { shellLine } from "../../lib/command-line.ts";
import type { Problem } from "../../schema/problem.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";

export function Closed({ problem }: { problem: Problem }) {
  const gone = problem.code === "unreachable";
  return (
    <main className="closed">
      <Icon name="mark" size={28} />
      <h1>{gone ? "Agiraph does not answer" : "This window needs a key"}</h1>
      {gone ? (
        <p>Nothing is lost: agents are kept on disk. Start it again in a terminal, then reload.</p>
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

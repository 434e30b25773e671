/** Something proposed for the memory, to accept or decline. */
import type { State } from "../../core/state.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import type { Insight } from "../../schema/insight.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { day } from "../parts/text/words.ts";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";

export function ProposalCard({ agent, insight, state }: { agent: string; insight: Insight; state: State }) {
  const client = useClient();
  const { attempt, say } = useToasts();
  const { id, by, subject, text, file, outside, run, node, at, kind } = insight;
  const params = { agent, insight: id };
  const who = by === "guard" ? "A reflection" : whoIs(state, by).name;
  const accept = async () => {
    if (await attempt(client.acceptInsight({ params, body: {} }))) say({ look: "done", text: "It is in the memory." });
  };
  return (
    <article className="mem-p" aria-label={visibleLine(subject)}>
      <h3>{file ? `A new version of ${visibleLine(file.path)}` : visibleLine(subject)}</h3>
      <p className="mem-t">{text}</p>
      <p className="hint">
        {who}
        {file ? "" : `, a ${kind}`}, {[run, node].filter(Boolean).join(" ")}, {day(at)}
      </p>
      {outside ? (
        <p className="mem-w">
          <Icon name="alert" size={14} />
          The run had read {visibleLine(outside)} before. Accept it only if you know it is true.
        </p>
      ) : null}
      <div className="mem-b">
        <Button look="solid" onClick={() => void accept()}>
          Accept
        </Button>
        <Button onClick={() => void attempt(client.declineInsight({ params, body: {} }))}>Decline</Button>
      </div>
    </article>
  );
}

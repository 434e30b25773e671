/** A call that waits for a yes: what it would do, word for word. A no may say why, which its model is told. */
import { useState } from "react";
import { visibleLine } from "../../lib/visible.ts";
import { Diff } from "../files/diff-view.tsx";
import { Button } from "../parts/button.tsx";
import { Exact } from "../parts/exact.tsx";
import { Given } from "../parts/given.tsx";
import { useKey } from "../shell/keys.tsx";
import type { ForOne } from "./focus.tsx";
import { firstLine, type Need, restOf } from "./queue.ts";

export function Approve({ need, acts, later }: ForOne<Extract<Need, { kind: "approval" }>>) {
  const { question, input } = need;
  const tool = question.approves?.tool ?? "this tool";
  const [reason, setReason] = useState("");
  const [remember, setRemember] = useState(false);
  const decide = (decision: "allow" | "deny") => {
    const why = decision === "deny" && reason.trim() ? { reason: reason.trim() } : {};
    acts.decide(need, decision, { ...why, remember });
  };
  useKey("y", "Allow the call", () => decide("allow"));
  useKey("d", "Deny the call", () => decide("deny"));
  return (
    <>
      <h2>{need.title}</h2>
      <p className="ctx">{visibleLine(firstLine(question.text))}</p>
      <div className="shown">
        {input === undefined ? <Exact text={restOf(question.text)} /> : <Given input={input} />}
        <Change input={input} />
      </div>
      <label className="write">
        <input
          aria-label="Why not"
          placeholder="Why not, if you deny it"
          value={reason}
          maxLength={10_000}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <label className="tick">
        <input type="checkbox" checked={remember} onChange={({ target }) => setRemember(target.checked)} />
        <span>
          The same for every call of <span className="mono">{tool}</span> by the same asker in this run
        </span>
      </label>
      <div className="act">
        <Button look="solid" large onClick={() => decide("allow")}>
          Allow<kbd>Y</kbd>
        </Button>
        <Button large onClick={() => decide("deny")}>
          Deny<kbd>D</kbd>
        </Button>
        {later}
      </div>
    </>
  );
}

/** A text in place of another, also as their difference. */
function Change({ input }: { input: unknown }) {
  const { old, new: next } = (input ?? {}) as Record<string, unknown>;
  return typeof old === "string" && typeof next === "string" ? <Diff before={old} after={next} /> : null;
}

/** A call that waits for a yes: what it would do, word for word. A no may say why, which its model is told. */
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { useKey } from "../shell/keys.tsx";
import type { ForOne } from "./focus.tsx";
import { firstLine, type Need } from "./queue.ts";

export function Approve({ need, acts, later }: ForOne<Extract<Need, { kind: "approval" }>>) {
  const { question, input } = need;
  const tool = question.approves?.tool ?? "this tool";
  const [reason, setReason] = useState("");
  const [remember, setRemember] = useState(false);
  const [sending, setSending] = useState(false);
  const decide = async (decision: "allow" | "deny") => {
    setSending(true);
    const why = decision === "deny" && reason.trim() ? { reason: reason.trim() } : {};
    await acts.decide(need, decision, { ...why, remember });
    setSending(false);
  };
  useKey("y", "Allow the call", () => void decide("allow"));
  useKey("d", "Deny the call", () => void decide("deny"));
  return (
    <>
      <h2>
        Use <span className="mono">{tool}</span>?
      </h2>
      <div className="ctx">
        <Markdown text={input === undefined ? question.text : firstLine(question.text)} />
      </div>
      {input === undefined ? null : <pre className="shown">{shown(input)}</pre>}
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
        <Button look="solid" large onClick={() => void decide("allow")} disabled={sending}>
          Allow<kbd>Y</kbd>
        </Button>
        <Button large onClick={() => void decide("deny")} disabled={sending}>
          Deny<kbd>D</kbd>
        </Button>
        {later}
      </div>
    </>
  );
}

/** A command as it is; anything else with its fields. */
function shown(input: unknown): string {
  if (typeof input === "string") return input;
  const { command, ...rest } = (input ?? {}) as Record<string, unknown>;
  if (typeof command === "string" && Object.keys(rest).length === 0) return command;
  return JSON.stringify(input, null, 2);
}

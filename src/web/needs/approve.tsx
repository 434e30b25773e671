/** A tool call that needs approval: its exact input. A denial may give a reason, which the model is told. */
import { useRef, useState } from "react";
import { firstLine } from "../../lib/text/text.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import { Diff } from "../files/diff-view.tsx";
import { Button } from "../parts/controls/button.tsx";
import { CallShown } from "../parts/question/call-shown.tsx";
import { Remember } from "../parts/question/remember.tsx";
import { KeyCaps, keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { isOnScreen } from "../shell/on-screen.ts";
import type { ForOne } from "./focus.tsx";
import type { Need } from "./queue.ts";

export function Approve({ need, acts, later }: ForOne<Extract<Need, { kind: "approval" }>>) {
  const { question, input } = need;
  const [reason, setReason] = useState("");
  const [remember, setRemember] = useState(false);
  const decide = (decision: "allow" | "deny") => {
    const why = decision === "deny" && reason.trim() ? { reason: reason.trim() } : {};
    acts.decide(need, decision, { ...why, remember });
  };
  const allow = useRef<HTMLButtonElement>(null);
  const seen = (act: () => void) => () => {
    if (isOnScreen(allow.current)) act();
    // What it would do stands above: who comes to the button has passed it.
    else allow.current?.scrollIntoView({ block: "end" });
  };
  useKey(
    keyMap.allow,
    seen(() => decide("allow")),
  );
  useKey(
    keyMap.deny,
    seen(() => decide("deny")),
  );
  return (
    <>
      <h2>{need.title}</h2>
      <p className="ctx">{visibleLine(firstLine(question.text))}</p>
      <CallShown state={need.state} question={question} />
      <Change input={input} />
      <label className="write">
        <input
          aria-label="Why not"
          placeholder="Reason, if you deny it"
          value={reason}
          maxLength={10_000}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <Remember state={need.state} question={question} on={remember} change={setRemember} />
      <div className="act">
        <Button ref={allow} look="solid" large onClick={() => decide("allow")}>
          Allow <KeyCaps of={keyMap.allow} />
        </Button>
        <Button large onClick={() => decide("deny")}>
          Deny <KeyCaps of={keyMap.deny} />
        </Button>
        {later}
      </div>
    </>
  );
}

/** A text in place of another, also as their difference. */
function Change({ input }: { input: unknown }) {
  const { old, new: next } = (input ?? {}) as Record<string, unknown>;
  return typeof old === "string" && typeof next === "string" ? (
    <div className="shown">
      <Diff before={old} after={next} />
    </div>
  ) : null;
}

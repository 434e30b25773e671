/** The notice of failing model calls, with what to do while the agent is paused because of them. */
import { Link } from "@tanstack/react-router";
import type { State } from "../../core/state.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { Time } from "../parts/text/time.tsx";
import { clockToSecond } from "../parts/text/words.ts";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import { type Trouble, troubleWords } from "./trouble.ts";

interface Props {
  agent: string;
  at: string;
  state: State | undefined;
  trouble: Trouble;
  past: boolean;
}

export function TroubleNote({ agent, at, state, trouble, past }: Props) {
  const client = useClient();
  const { attempt } = useToasts();
  const { status, until, setting } = trouble;
  return (
    <div className={`sys trouble ${status === "gave up" || status === "paused" ? "bad" : ""}`} role="note">
      <span className="in">
        <Icon name={status === "over" ? "check" : status === "trying" ? "history" : "alert"} size={14} />
        <span>{visibleLine(troubleWords(trouble, (id) => whoIs(state, id).name))}</span>
        <Time at={at} />
      </span>
      {past || status === "over" ? null : status === "trying" ? (
        until ? (
          <p className="dim num">Retrying at {clockToSecond(until)}</p>
        ) : null
      ) : (
        <p>
          {status === "paused" ? (
            <Button onClick={() => void attempt(client.resumeAgent({ params: { agent }, body: {} }))}>Try again</Button>
          ) : null}
          <Link className="btn" to="/settings">
            Check the settings
          </Link>
          {setting ? (
            <span className="dim">
              It is chosen by <span className="mono">{setting}</span>
            </span>
          ) : null}
        </p>
      )}
    </div>
  );
}

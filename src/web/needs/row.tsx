/** One row of the queue: its kind, who asks, since when, and what it holds up. */
import { isIntended } from "../../core/agent/pause.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { Age } from "../parts/text/time.tsx";
import { clock } from "../parts/text/words.ts";
import { askerOf, type Need } from "./queue.ts";

const looks: Record<Need["kind"], { icon: string; look: string; word: string }> = {
  question: { icon: "help", look: "waiting", word: "Question" },
  approval: { icon: "shield", look: "neutral", word: "Approval" },
  host: { icon: "globe", look: "neutral", word: "Approval" },
  vote: { icon: "vote", look: "waiting", word: "Vote" },
  stopped: { icon: "pause", look: "waiting", word: "Stuck" },
  stuck: { icon: "clock", look: "failed", word: "Stuck" },
  lost: { icon: "alert", look: "failed", word: "Cannot be opened" },
  channel: { icon: "globe", look: "neutral", word: "Channel" },
};

function lookOf(need: Need): { icon: string; look: string; word: string } {
  if (need.kind !== "stopped") return looks[need.kind];
  if (need.failed) return { icon: "alert", look: "failed", word: "Failed" };
  if (need.reason.code === "budget") return { icon: "wallet", look: "waiting", word: "Budget" };
  return looks.stopped;
}

interface Given {
  need: Need;
  on: boolean;
  gone: boolean;
  /** Undefined: it cannot be chosen. */
  chosen?: boolean | undefined;
  /** Put off until then. */
  until?: number | undefined;
  open(): void;
  choose(chosen: boolean): void;
}

export function Row({ need, on, gone, chosen, until, open, choose }: Given) {
  const { icon, look, word } = lookOf(need);
  const asker = askerOf(need);
  const who = asker ? `${whoIs(need.state, asker.by).name}, ` : "";
  return (
    <li className={`it-li ${gone ? "gone" : ""}`}>
      <button
        type="button"
        className={`it ${on ? "on" : ""}`}
        aria-current={on ? "true" : undefined}
        data-need={need.key}
        onClick={open}
        tabIndex={gone ? -1 : 0}
      >
        <span className={`ny-kind ${look}`}>
          <Icon name={icon} />
        </span>
        <span className="tx">
          <b>
            <span className="sr">{word}: </span>
            {need.title}
          </b>
          <span className="ell">
            {who}
            {need.agent}
            {need.node ? `, ${need.node}` : ""}
          </span>
        </span>
        <span className="rt">
          {until === undefined ? (
            need.since ? (
              <Age since={need.since} />
            ) : null
          ) : (
            <span>until {clock(new Date(until).toISOString())}</span>
          )}
          <Note need={need} />
        </span>
      </button>
      {chosen === undefined ? null : (
        <input
          type="checkbox"
          className="pick"
          aria-label={`Choose: ${need.title}`}
          checked={chosen}
          onChange={(event) => choose(event.target.checked)}
        />
      )}
    </li>
  );
}

function Note({ need }: { need: Need }) {
  if (need.holds.length) return <span className="hold">holds {need.holds.length}</span>;
  if (need.kind === "stopped")
    return isIntended(need.reason.code) ? (
      <span>paused</span>
    ) : (
      <span className="red">{need.failed ? "failed" : "paused"}</span>
    );
  if (need.kind === "stuck") return <span className="red">stuck</span>;
  return null;
}

/** Tool calls in a thread: one line each, expanded by a click. */
import { memo, useState } from "react";
import { visible, visibleLine } from "../../lib/text/visible.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { CallInput } from "../parts/question/call-input.tsx";
import { StatusDot } from "../parts/status/status.tsx";
import { duration } from "../parts/text/words.ts";
import { foldCalls, foldedWords, verbOf, wordsOf } from "./call-words.ts";
import type { Call } from "./thread-item.ts";

export const Calls = memo(({ calls, at }: { calls: readonly Call[]; at: number }) => {
  // `at` is the item's rev: the calls are the same as long as it is.
  void at;
  return (
    <div className="calls">
      {foldCalls(calls).map((row, nth) => {
        // Two turns may call their calls the same.
        const key = `${nth} ${row[0]!.id}`;
        return row.length === 1 ? <One key={key} call={row[0]!} /> : <Many key={key} calls={row} />;
      })}
    </div>
  );
});

const tails: Partial<Record<Call["status"], string>> = {
  error: "failed",
  denied: "denied",
  unknown: "nobody knows whether it happened",
};

const tookOf = ({ began, ended }: Call): number => (began && ended ? Date.parse(ended) - Date.parse(began) : 0);

function One({ call }: { call: Call }) {
  const [open, setOpen] = useState(false);
  const { icon, object, code } = wordsOf(call);
  const runs = call.status === "running";
  const took = tookOf(call);
  const tail = tails[call.status];
  return (
    <div className={open ? "call-open" : ""}>
      <button
        type="button"
        className={`call ${runs ? "live" : ""} ${tail ? "bad" : ""}`}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name={open ? "down" : "right"} size={12} />
        {runs ? <StatusDot look="working" /> : <Icon name={icon} size={14} />}
        <b>{verbOf(call)}</b>
        <span className={code ? "mono" : "what"}>{visibleLine(object)}</span>
        {tail ? (
          <span className="end">{tail}</span>
        ) : took >= 1000 ? (
          <span className="end">{duration(took)}</span>
        ) : null}
      </button>
      {open ? <Inside call={call} /> : null}
    </div>
  );
}

function Many({ calls }: { calls: readonly Call[] }) {
  const [open, setOpen] = useState(false);
  const { icon, did, object, more, code } = foldedWords(calls);
  const took = calls.reduce((sum, call) => sum + tookOf(call), 0);
  return (
    <div className={open ? "call-open" : ""}>
      <button type="button" className="call" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? "down" : "right"} size={12} />
        <Icon name={icon} size={14} />
        <b>{did}</b>
        <span className={code ? "mono" : "what"}>{visibleLine(object)}</span>
        {more ? <span className="end">{more}</span> : null}
        {took >= 1000 ? <span className="end">{duration(took)}</span> : null}
      </button>
      {open ? (
        <div className="call-in">
          {calls.map((call, nth) => (
            <One key={`${nth} ${call.id}`} call={call} />
          ))}
        </div>
      ) : null}
    </div>
  );
}

const longest = 20_000;

function Inside({ call: { input, result } }: { call: Call }) {
  return (
    <div className="call-b">
      <div className="in">
        <CallInput input={input} />
      </div>
      {result === undefined ? null : (
        <pre className="out">
          {visible(
            result.length > longest
              ? `${result.slice(0, longest)}\n… ${result.length - longest} characters more`
              : result,
          )}
        </pre>
      )}
    </div>
  );
}

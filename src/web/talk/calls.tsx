/** What was done between the words: one line each, opened with a click. */
import { memo, useState } from "react";
import { Given } from "../parts/given.tsx";
import { Icon } from "../parts/icon.tsx";
import { StatusDot } from "../parts/status.tsx";
import { duration } from "../parts/words.ts";
import { foldCalls, wordsOf } from "./call-words.ts";
import type { Call } from "./thread.ts";

export const Calls = memo(({ calls, at }: { calls: readonly Call[]; at: number }) => {
  // `at` is the item's rev: the calls are the same as long as it is.
  void at;
  return (
    <div className="calls">
      {foldCalls(calls).map((row) =>
        row.length === 1 ? <One key={row[0]!.id} call={row[0]!} /> : <Many key={row[0]!.id} calls={row} />,
      )}
    </div>
  );
});

const tails: Partial<Record<Call["status"], string>> = {
  error: "failed",
  denied: "denied",
  unknown: "nobody knows whether it happened",
};

function One({ call }: { call: Call }) {
  const [open, setOpen] = useState(false);
  const { icon, did, does, object } = wordsOf(call);
  const runs = call.status === "running";
  const took = call.began && call.ended ? Date.parse(call.ended) - Date.parse(call.began) : 0;
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
        <b>{runs || call.status === "asked" ? does : did}</b>
        <span className="mono">{object}</span>
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
  const { icon, did, many, object } = wordsOf(calls[0]!);
  const verb = did.replace(/:$|\s(for|a node:?)$/g, "");
  return (
    <div>
      <button type="button" className="call" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? "down" : "right"} size={12} />
        <Icon name={icon} size={14} />
        <b>
          {verb} {calls.length} {many}
        </b>
        <span className="mono">{object}</span>
        <span className="end">and {calls.length - 1} more</span>
      </button>
      {open ? (
        <div className="call-in">
          {calls.map((call) => (
            <One key={call.id} call={call} />
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
        <Given input={input} />
      </div>
      {result === undefined ? null : (
        <pre className="out">
          {result.length > longest
            ? `${result.slice(0, longest)}\n… ${result.length - longest} characters more`
            : result}
        </pre>
      )}
    </div>
  );
}

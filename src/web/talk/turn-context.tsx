/** What a participant was shown at its last turn, part by part, and what was left out. Read when somebody opens it, and again with each turn. */
import { useEffect, useState } from "react";
import type { TurnContext } from "../../api/turn-context.ts";
import { plural, tokens } from "../parts/text/words.ts";
import { useClient } from "../store/hooks.ts";

export function ShownToTurn({ agent, participant, turns }: { agent: string; participant: string; turns: number }) {
  const [isOpen, setOpen] = useState(false);
  if (!turns) return null;
  return (
    <section className="sec">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="sec-h">What it was shown</summary>
        {isOpen ? <LastTurn agent={agent} turn={`${participant}.${turns}`} /> : null}
      </details>
    </section>
  );
}

function LastTurn({ agent, turn }: { agent: string; turn: string }) {
  const client = useClient();
  const [context, setContext] = useState<TurnContext>();
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    const ending = new AbortController();
    client.getContext({ params: { agent }, query: { turn }, signal: ending.signal }).then(
      (value) => {
        setContext(value);
        setMissing(false);
      },
      () => ending.signal.aborted || setMissing(true),
    );
    return () => ending.abort();
  }, [client, agent, turn]);
  if (isMissing) return <p className="dim small">It could not be read.</p>;
  return context ? <ContextParts context={context} /> : <p className="dim small">Reading…</p>;
}

export function ContextParts({ context }: { context: TurnContext }) {
  const { parts, left_out, tools, further } = context;
  return (
    <>
      <p className="dim small">
        {context.turn}: {tokens(context.tokens)} tokens, {plural(tools.length, "tool")}
      </p>
      <dl className="kv">
        {parts.map(({ name, source, why, tokens: count, brief }, at) => (
          <div key={`${name} ${source} ${at}`} className="contents" title={why}>
            <dt>{name}</dt>
            <dd>
              {tokens(count)} · {source}
              {brief ? ", in brief" : ""}
            </dd>
          </div>
        ))}
      </dl>
      {left_out.length ? (
        <p className="small">
          Left out for lack of room:{" "}
          {left_out.map(({ source, tokens: count }) => `${source} (${tokens(count)})`).join(", ")}
        </p>
      ) : null}
      <p className="dim small">
        Tools in the prompt: {tools.map(({ name, why }) => (why === "always" ? name : `${name} (${why})`)).join(", ")}.
        {further.length ? ` ${plural(further.length, "more tool")} one call away.` : ""}
      </p>
    </>
  );
}

/** What an agent knows, by topic: from where, for whom, used when, and what is about to fade; and what is proposed for its memory. */

import { useEffect, useMemo, useState } from "react";
import type { z } from "zod";
import type { KnownNote } from "../../api/insights.ts";
import { openInsights } from "../../core/agent/insight.ts";
import type { State } from "../../core/state.ts";
import { money } from "../../lib/text/amounts.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import { Problem } from "../../schema/problem.ts";
import { FindField } from "../parts/controls/find-field.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { plural } from "../parts/text/words.ts";
import { useClient, useNow } from "../store/hooks.ts";
import { NoteLine } from "./note-line.tsx";
import { ProposalCard } from "./proposal-card.tsx";
import { topicsOf } from "./topics.ts";
import "../style/memory.css";

export type Note = z.infer<typeof KnownNote>;
type Known = { items: Note[]; files: number; faded: number; reflections: { calls: number; usd: number } };

/** More than these are found by search. */
const most = 500;

interface Given {
  agent: string;
  state: State;
  open(path: string): void;
}

export function KnownNotes({ agent, state, open }: Given) {
  const client = useClient();
  const now = useNow();
  const [known, setKnown] = useState<Known>();
  const [problem, setProblem] = useState<Problem>();
  const [query, setQuery] = useState("");
  const [loads, setLoads] = useState(0);
  const proposals = openInsights(state);
  const decided = `${state.insightCount} ${proposals.length} ${state.run?.id} ${state.run?.status}`;
  useEffect(() => {
    let over = false;
    client
      .listNotes({ params: { agent }, query: { limit: most } })
      .then((all) => !over && setKnown(all))
      .catch(
        (error: unknown) =>
          !over && setProblem(error instanceof Problem ? error : new Problem("invalid", String(error))),
      );
    return () => {
      over = true;
    };
  }, [client, agent, decided, loads]);
  const topics = useMemo(() => topicsOf(known?.items ?? [], query), [known, query]);
  if (problem) return <Failed what="The notes cannot be shown" problem={problem} />;
  if (!known) return <Loading rows={8} />;
  const fading = known.items.filter((note) => note.fading === "fading").length;
  return (
    <div className="mem-k">
      {proposals.length ? (
        <section aria-label="Proposals">
          <h2>
            Proposed <span className="c num">{proposals.length}</span>
          </h2>
          {proposals.map((insight) => (
            <ProposalCard key={insight.id} agent={agent} insight={insight} state={state} />
          ))}
        </section>
      ) : null}
      <div className="mem-s">
        <FindField label="Filter notes" query={query} change={setQuery} />
        <p className="hint">
          {plural(known.files, "note")}
          {fading ? `, ${fading} about to fade` : ""}
          {known.faded ? `, ${known.faded} faded` : ""}
          {known.reflections.calls
            ? `. ${plural(known.reflections.calls, "reflection")} cost ${money(known.reflections.usd)}`
            : ""}
        </p>
      </div>
      {topics.map(({ name, notes }) => (
        <section key={name} aria-label={visibleLine(name)}>
          <h2>
            {visibleLine(name)} <span className="c num">{notes.length}</span>
          </h2>
          <ul>
            {notes.map((note) => (
              <NoteLine
                key={note.path}
                agent={agent}
                note={note}
                now={now}
                open={open}
                changed={() => setLoads(loads + 1)}
              />
            ))}
          </ul>
        </section>
      ))}
      {topics.length ? null : (
        <Empty title={query ? "No note has these words" : "It knows nothing yet"} icon="memory">
          <p>What it learns from its work is listed here, with where it comes from.</p>
        </Empty>
      )}
      {known.files > known.items.length ? (
        <p className="hint">The {known.items.length} freshest are listed; search the files for the others.</p>
      ) : null}
    </div>
  );
}

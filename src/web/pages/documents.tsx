/** The shared texts of the run: who owns each, who wrote it last, the text itself, and what changed. Edited as any file is (files/editor.tsx). */
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { State } from "../../core/state.ts";
import type { Document } from "../../schema/document.ts";
import { Owner } from "../documents/owner.tsx";
import { keepDraft, useDrafts } from "../files/drafts.ts";
import { NewFile } from "../files/new-file.tsx";
import { type Source, workspaceSource } from "../files/source.ts";
import { Viewer } from "../files/viewer.tsx";
import { IconButton } from "../parts/controls/button.tsx";
import { FindField } from "../parts/controls/find-field.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { Age } from "../parts/text/time.tsx";
import { AgentHeader } from "../shell/header.tsx";
import { useStep } from "../shell/use-step.ts";
import { useAgentView, useClient } from "../store/hooks.ts";
import "../style/files.css";

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const view = useAgentView(agent);
  const state = view?.state;
  return (
    <>
      <AgentHeader />
      {view?.problem ? (
        <Failed what="The documents cannot be shown" problem={view.problem} />
      ) : !state ? (
        <Loading rows={6} />
      ) : !state.run ? (
        <Empty title="No run has started" icon="doc">
          <p>Documents are the shared texts of a run.</p>
        </Empty>
      ) : (
        <Documents key={state.run.id} agent={agent} state={state} run={state.run.id} />
      )}
    </>
  );
}

function Documents({ agent, state, run }: { agent: string; state: State; run: string }) {
  const { name: chosen } = useSearch({ strict: false }) as { name?: string };
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const [making, setMaking] = useState(false);
  const fixed = whyFixed(state);
  const source = useSource(agent, run, fixed);
  const all = [...state.documents.values()].sort((a, b) => (a.at < b.at ? 1 : -1));
  const shown = all.filter(({ name }) => name.toLowerCase().includes(query.trim().toLowerCase()));
  // On a phone the list alone is seen until one is chosen.
  const at = chosen ?? shown[0]?.name;
  const open = (name: string | undefined) =>
    void navigate({ to: "/agents/$agent/documents", params: { agent }, search: name ? { name } : {} });
  useStep(
    shown,
    ({ name }) => name === at,
    ({ name }) => open(name),
  );
  return (
    <div className={`fi docs ${chosen ? "open" : ""}`}>
      <section className="tree" aria-label="Documents">
        <div className="tree-h">
          <FindField label="Find a document" query={query} change={setQuery} />
          <IconButton label={fixed ?? "New document"} disabled={fixed !== undefined} onClick={() => setMaking(true)}>
            <Icon name="plus" />
          </IconButton>
        </div>
        <ul>
          {shown.map((one) => (
            <Row
              key={one.name}
              state={state}
              document={one}
              source={source}
              on={one.name === at}
              open={() => open(one.name)}
            />
          ))}
        </ul>
        {all.length && !shown.length ? <p className="hint">No document has this in its name.</p> : null}
      </section>
      {at ? (
        <Viewer
          key={at}
          source={source}
          path={`documents/${at}`}
          state={state}
          note={<Owner agent={agent} state={state} document={state.documents.get(at)} fixed={fixed} />}
          close={() => open(undefined)}
        />
      ) : (
        <div className="pv none">
          <div className="preview-head" />
          <Empty title="No documents yet" icon="doc">
            <p>
              A document is a text that everyone in the run can read and its owner, or everyone, can write: decisions, a
              glossary, the draft of a report. Nobody overwrites anybody: whoever writes late sees both texts.
            </p>
          </Empty>
        </div>
      )}
      <NewFile
        open={making}
        close={() => setMaking(false)}
        what="New document"
        where="For everyone in this run. It ends in .md, .txt, .json, .yaml or .csv"
        make={(given) => {
          const path = source.placeOf(given);
          if (!state.documents.has(path.slice("documents/".length)))
            keepDraft(source.key(path), { text: "", base: null });
          setMaking(false);
          open(path.slice("documents/".length));
        }}
      />
    </div>
  );
}

function useSource(agent: string, run: string, fixed: string | undefined): Source {
  const client = useClient();
  return useMemo(() => workspaceSource(client, agent, run, fixed), [client, agent, run, fixed]);
}

function whyFixed({ agent, run }: State): string | undefined {
  if (agent?.status === "archived") return "This agent is archived; its documents are read-only";
  return run?.status === "open" ? undefined : "The run is over; its documents are read-only";
}

interface RowGiven {
  state: State;
  document: Document;
  source: Source;
  on: boolean;
  open(): void;
}

function Row({ state, document: { name, owner, version, by, at }, source, on, open }: RowGiven) {
  const hasDraft = useDrafts()(source.key(`documents/${name}`));
  return (
    <li>
      <button type="button" className={`it ${on ? "on" : ""}`} aria-current={on ? "true" : undefined} onClick={open}>
        <span className="ny-kind neutral">
          <Icon name="doc" />
        </span>
        <span className="tx">
          <b>{name}</b>
          <span className="ell">
            {hasDraft ? <span className="hold">your draft, </span> : null}
            version {version} by {by === "human" ? "you" : whoIs(state, by).name}
          </span>
        </span>
        <span className="rt">
          <Age since={at} />
          {owner ? <Avatar who={whoIs(state, owner)} size={16} /> : <span>shared</span>}
        </span>
      </button>
    </li>
  );
}

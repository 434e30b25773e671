/** Details of the open file: whether the published version is unchanged, its manifest, and which nodes use it. */
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { z } from "zod";
import type { SealedNode } from "../../api/find.ts";
import type { State } from "../../core/state.ts";
import { bytes, money } from "../../lib/text/amounts.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { nodeLook, StatusDot } from "../parts/status/status.tsx";
import { clock, day, plural } from "../parts/text/words.ts";
import { useClient } from "../store/hooks.ts";
import type { File, Source } from "./source.ts";

type Sealed = z.infer<typeof SealedNode>;

interface Manifest {
  worker?: string;
  model?: string | null;
  inputs?: { ref: string; sha256: string }[];
  tool_calls?: number;
  cost?: { usd: number; tokens: number };
  events?: [number, number];
}

/** The node whose published file it is, and its path there. */
export function publishedOf(source: Source, path: string) {
  const place = source.placeIn(path);
  const [, node, inner] = /^nodes\/([^/]+)\/published\/(.+)$/.exec(place?.path ?? "") ?? [];
  return place && node !== undefined && inner !== undefined ? { run: place.run, node, inner } : undefined;
}

export function Rail({ source, file, state }: { source: Source; file: File; state?: State | undefined }) {
  const published = publishedOf(source, file.path);
  return (
    <aside className="rail fi-rail" aria-label="About this file">
      {published ? (
        <Published
          key={`${published.run}/${published.node}`}
          source={source}
          file={file}
          state={state}
          {...published}
        />
      ) : null}
      <section className="sec">
        <div className="sec-h">File</div>
        <dl className="kv">
          <dt>Hash</dt>
          <dd className="mono" title={file.sha256}>
            sha256 {short(file.sha256)}
          </dd>
          <dt>Size</dt>
          <dd>{bytes(file.size)}</dd>
          <dt>Changed</dt>
          <dd title={file.changed_at}>
            {clock(file.changed_at)}, {day(file.changed_at)}
          </dd>
        </dl>
      </section>
    </aside>
  );
}

interface OfNode {
  source: Source;
  file: File;
  state?: State | undefined;
  run: string;
  node: string;
  inner: string;
}

function Published({ source, file, state, run, node, inner }: OfNode) {
  const here = state?.run?.id === run ? state : undefined;
  // Of a run that is over only the daemon knows.
  const known = !here || here.nodes.get(node)?.status === "completed";
  const sealed = useSealed(source.agent, run, node, known ? file.sha256 : undefined);
  const manifest = useManifest(source, known ? file.path.slice(0, -inner.length) : undefined);
  const usedBy = here ? usersOf(here, node, inner) : [];
  return (
    <>
      {sealed ? <Seal sealed={sealed} inner={inner} /> : null}
      {known ? null : (
        <div className="sealed bad" role="alert">
          <Icon name="alert" size={14} />
          <span>Not sealed: the log knows of nothing that {node} published.</span>
        </div>
      )}
      {manifest ? (
        <section className="sec">
          <div className="sec-h">Manifest</div>
          <dl className="kv">
            <dt>Node</dt>
            <dd className="mono">
              <Link to="/agents/$agent/graph" params={{ agent: source.agent }} hash={node}>
                {node}
              </Link>
            </dd>
            <dt>Worker</dt>
            <dd>{manifest.worker ? whoIs(here, manifest.worker).name : "nobody"}</dd>
            <dt>Model</dt>
            <dd>{manifest.model ?? "none"}</dd>
            <dt>Inputs</dt>
            <dd>{manifest.inputs?.length ? manifest.inputs.map(({ ref }) => ref).join(", ") : "none"}</dd>
            <dt>Tool calls</dt>
            <dd>{manifest.tool_calls ?? 0}</dd>
            <dt>Cost</dt>
            <dd>{money(manifest.cost?.usd ?? 0)}</dd>
            <dt>Events</dt>
            <dd>{manifest.events ? `${manifest.events[0]} to ${manifest.events[1]}` : "unknown"}</dd>
          </dl>
        </section>
      ) : null}
      {here ? (
        <section className="sec">
          <div className="sec-h">Used by</div>
          {usedBy.length === 0 ? <p className="dim">Not used by a node yet</p> : null}
          <ul className="used">
            {usedBy.map((one) => (
              <li key={one.id}>
                <StatusDot {...nodeLook(one.status)} size={12} />
                <span className="mono ell">{one.id}</span>
                <span className="dim">{nodeLook(one.status).word.toLowerCase()}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

function Seal({ sealed, inner }: { sealed: Sealed; inner: string }) {
  const mine = sealed.files.find(({ path }) => path === inner);
  const wrong = sealed.files.filter(({ found }) => found === "changed" || found === "missing");
  const unread = sealed.files.filter(({ found }) => found === "unread");
  const when = `Sealed ${clock(sealed.sealed_at)}.`;
  if (wrong.length === 0 && sealed.added.length === 0)
    return (
      <div className="sealed ok">
        <Icon name="check" size={14} />
        <span>
          {when}{" "}
          {unread.length ? `All but ${plural(unread.length, "file")} too large to read match.` : "All hashes match."}
        </span>
      </div>
    );
  return (
    <div className="sealed bad" role="alert">
      <Icon name="alert" size={14} />
      <span>
        {when}{" "}
        {mine && mine.found !== "same"
          ? "This file is no longer what was published."
          : inner !== "manifest.json" && !mine
            ? "This file was not published; it was added later."
            : "This file matches, others do not."}
        {[...wrong.map(({ path, found }) => `${path}: ${found}`), ...sealed.added.map((path) => `${path}: added`)]
          .slice(0, 8)
          .map((said) => (
            <small key={said}>{said}</small>
          ))}
      </span>
    </div>
  );
}

/** Nodes that name it, its node as a whole, or wait for its node. */
function usersOf(state: State, node: string, inner: string) {
  const names = (ref: string): boolean => {
    const [of = "", ...rest] = ref.split("/");
    return (of === node || node.startsWith(`${of}-`)) && (rest.length === 0 || rest.join("/") === inner);
  };
  return [...state.nodes.values()].filter(
    ({ refs, depends_on }) => Object.values(refs).some(names) || depends_on.includes(node),
  );
}

function useSealed(agent: string, run: string, node: string, version: string | undefined): Sealed | undefined {
  const client = useClient();
  const [got, setGot] = useState<Sealed>();
  useEffect(() => {
    if (version === undefined) return;
    const ending = new AbortController();
    client
      .checkSealed({ params: { agent, node }, query: { run }, signal: ending.signal })
      // One that was never published has no seal to be told of.
      .then(setGot, () => !ending.signal.aborted && setGot(undefined));
    return () => ending.abort();
  }, [client, agent, run, node, version]);
  return got;
}

function useManifest(source: Source, folder: string | undefined): Manifest | undefined {
  const [got, setGot] = useState<Manifest>();
  useEffect(() => {
    if (folder === undefined) return;
    let over = false;
    source
      .look(`${folder}manifest.json`)
      .then((found) => JSON.parse((found.kind === "file" && found.text) || "{}") as Manifest)
      .then((manifest) => !over && setGot(manifest))
      .catch(() => !over && setGot(undefined));
    return () => {
      over = true;
    };
  }, [source, folder]);
  return got;
}

const short = (hash: string): string => `${hash.slice(0, 4)} ${hash.slice(4, 8)} … ${hash.slice(-4)}`;

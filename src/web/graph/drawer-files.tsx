/** The published files of a node with their manifest, and its scratch files while it runs. */

import { useEffect, useState } from "react";
import { z } from "zod";
import type { FileOrFolder } from "../../api/files.ts";
import { routes } from "../../api/index.ts";
import { addressOf } from "../../client/call.ts";
import type { State } from "../../core/state.ts";
import { bytes, money } from "../../lib/text/amounts.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Download } from "../parts/files/download.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { Time } from "../parts/text/time.tsx";
import { tokens } from "../parts/text/words.ts";
import { useClient } from "../store/hooks.ts";
import type { DrawerSubject } from "./drawer.tsx";

type Listed = z.infer<typeof FileOrFolder>;

export function Files({ agent, state, node, whole, past, choose }: DrawerSubject) {
  const files = "files" in node ? node.files : [];
  const run = state.run?.id;
  const client = useClient();
  const published = (path: string) => ({
    params: { agent, path: `nodes/${node.id}/published/${path}` },
    query: { raw: "1", ...(run ? { run } : {}) },
  });
  return (
    <>
      <h4>
        Published<span className="r">{files.length ? "" : "nothing yet"}</span>
      </h4>
      <ul className="fl">
        {files.map(({ path, size, sha256 }) => (
          <li key={path}>
            <Download
              address={addressOf(routes.readWorkspace, published(path))}
              name={path.split("/").at(-1)!}
              get={() => client.readWorkspace(published(path))}
            >
              <Icon name="doc" size={14} />
              <span className="ell">{path}</span>
              <span className="r">{bytes(size)}</span>
              <span className="mono dim">{sha256.slice(0, 6)}</span>
            </Download>
          </li>
        ))}
      </ul>
      {past ? (
        <p className="dim">The log does not record scratch files of that time.</p>
      ) : (
        <Scratch key={node.id} agent={agent} node={node} />
      )}
      {whole?.manifest ? <Manifest state={state} manifest={whole.manifest} choose={choose} /> : null}
    </>
  );
}

/** What it wrote and did not publish. */
export function Scratch({ agent, node }: Pick<DrawerSubject, "agent" | "node">) {
  const scratch = useScratch(agent, node);
  if (!scratch?.length) return null;
  return (
    <>
      <h4>
        In scratch<span className="r">{"ended_at" in node ? "not published" : "not published yet"}</span>
      </h4>
      <ul className="fl">
        {scratch.map(({ name, size }) => (
          <li key={name}>
            <span className="one">
              <Icon name="doc" size={14} />
              <span className="ell">{name}</span>
              <span className="r">{bytes(size)}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const Listing = z.object({
  worker: z.string(),
  model: z.string().nullable(),
  inputs: z.array(z.object({ ref: z.string(), sha256: z.string() })),
  tool_calls: z.number(),
  cost: z.object({ usd: z.number(), tokens: z.number() }),
  published_at: z.string(),
});

interface Told {
  state: State;
  manifest: Record<string, unknown>;
  choose(id: string): void;
}

/** From what, by whom and for how much; as it is in the file if that is not what we write. */
function Manifest({ state, manifest, choose }: Told) {
  const read = Listing.safeParse(manifest);
  if (!read.success)
    return (
      <>
        <h4>Manifest</h4>
        <pre className="manifest">{JSON.stringify(manifest, null, 2)}</pre>
      </>
    );
  const { worker, model, inputs, tool_calls, cost, published_at } = read.data;
  return (
    <section className="manifest-t" aria-label="Manifest">
      <h4>Manifest</h4>
      <dl className="kv">
        <dt>By</dt>
        <dd>
          {whoIs(state, worker).name}
          {model ? <span className="dim"> {model}</span> : null}
        </dd>
        <dt>Published</dt>
        <dd>
          <Time at={published_at} />
        </dd>
        <dt>Tool calls</dt>
        <dd>{tool_calls}</dd>
        <dt>Cost</dt>
        <dd>
          {money(cost.usd)} <span className="dim">{tokens(cost.tokens)} tokens</span>
        </dd>
        <dt>Inputs</dt>
        <dd>{inputs.length || "none"}</dd>
      </dl>
      <ul className="fl">
        {inputs.map(({ ref, sha256 }) => (
          <li key={ref}>
            <button type="button" onClick={() => choose(ref.split("/")[0]!)}>
              <Icon name="doc" size={14} />
              <span className="ell">{ref.replace("/", " / ")}</span>
              <span className="r mono">{sha256.slice(0, 6)}</span>
            </button>
          </li>
        ))}
      </ul>
      <details>
        <summary className="dim">Raw manifest</summary>
        <pre className="manifest">{JSON.stringify(manifest, null, 2)}</pre>
      </details>
    </section>
  );
}

function useScratch(agent: string, node: DrawerSubject["node"]) {
  const client = useClient();
  const [got, setGot] = useState<{ name: string; size: number }[]>();
  const { id, turns } = node;
  const begun = "started_at" in node && node.started_at !== undefined;
  useEffect(() => {
    if (!begun) return;
    const ending = new AbortController();
    const entries = async (path: string) => {
      const answer = await client.readWorkspace({ params: { agent, path }, signal: ending.signal });
      const found = (await answer.json()) as Listed;
      return found.kind === "folder" ? found.entries : [];
    };
    /** There is none until somebody wrote into it. */
    async function look() {
      const there = (await entries(`nodes/${id}`)).some(({ name }) => name === "scratch");
      setGot(there ? (await entries(`nodes/${id}/scratch`)).filter(({ kind }) => kind === "file") : []);
    }
    look().catch(() => setGot([]));
    return () => ending.abort();
  }, [client, agent, id, turns, begun]);
  return got;
}

/** What a node published, with its manifest, and what lies in its scratch while it is at work. */
import { useEffect, useState } from "react";
import type { z } from "zod";
import type { FileOrFolder } from "../../api/files.ts";
import { Icon } from "../parts/icon.tsx";
import { useClient } from "../store/hooks.ts";
import type { Shown } from "./drawer.tsx";

type Listed = z.infer<typeof FileOrFolder>;

export function Files({ agent, state, node, whole }: Shown) {
  const files = "files" in node ? node.files : [];
  const scratch = useScratch(agent, node);
  const run = state.run?.id;
  return (
    <>
      <h4>
        Published<span className="r">{files.length ? "" : "nothing yet"}</span>
      </h4>
      <ul className="fl">
        {files.map(({ path, size, sha256 }) => (
          <li key={path}>
            <a
              href={`/agents/${agent}/workspace/nodes/${node.id}/published/${path.split("/").map(encodeURIComponent).join("/")}?raw=1${run ? `&run=${run}` : ""}`}
              download={path.split("/").at(-1)}
            >
              <Icon name="doc" size={14} />
              <span className="ell">{path}</span>
              <span className="r">{bytes(size)}</span>
              <span className="mono dim">{sha256.slice(0, 6)}</span>
            </a>
          </li>
        ))}
      </ul>
      {scratch?.length ? (
        <>
          <h4>
            In scratch<span className="r">not published</span>
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
      ) : null}
      {whole?.manifest ? (
        <>
          <h4>Manifest</h4>
          <pre className="manifest">{JSON.stringify(whole.manifest, null, 2)}</pre>
        </>
      ) : null}
    </>
  );
}

function useScratch(agent: string, node: Shown["node"]) {
  const client = useClient();
  const [got, setGot] = useState<{ name: string; size: number }[]>();
  const { id, turns } = node;
  useEffect(() => {
    const ending = new AbortController();
    client
      .readWorkspace({ params: { agent, path: `nodes/${id}/scratch` }, signal: ending.signal })
      .then(async (answer) => (await answer.json()) as Listed)
      .then((found) => setGot(found.kind === "folder" ? found.entries.filter(({ kind }) => kind === "file") : []))
      // There is none until somebody wrote into it.
      .catch(() => setGot([]));
    return () => ending.abort();
  }, [client, agent, id, turns]);
  return got;
}

function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}

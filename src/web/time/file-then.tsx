/** One file as it was at an event: its saved copy, or a note that none was saved. */

import { useEffect, useMemo, useState } from "react";
import { routes } from "../../api/index.ts";
import { addressOf } from "../../client/call.ts";
import type { Client } from "../../client/index.ts";
import type { State } from "../../core/state.ts";
import { Problem } from "../../schema/problem.ts";
import { fillsPanel, hasSource, kindOf, Preview } from "../files/preview.tsx";
import { ReadOrSource } from "../files/read-or-source.tsx";
import type { Bytes, File } from "../files/source.ts";
import { IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { clock } from "../parts/text/words.ts";
import { useClient } from "../store/hooks.ts";
import type { FileThen } from "./past-files.ts";

interface Given {
  agent: string;
  file: FileThen;
  state: State;
  close(): void;
}

export function FileThenView({ agent, file, state, close }: Given) {
  const client = useClient();
  const [asSource, setAsSource] = useState(false);
  const key = `${file.path} ${file.seq} ${file.from}`;
  const [got, setGot] = useState<{ key: string; found: File | Problem }>();
  useEffect(() => {
    const ending = new AbortController();
    const take = (found: File | Problem) => !ending.signal.aborted && setGot({ key, found });
    read(client, agent, file, ending.signal).then(take, (error: unknown) =>
      take(error instanceof Problem ? error : new Problem("unreachable", String(error))),
    );
    return () => ending.abort();
  }, [client, agent, key]);
  const source = useMemo(() => bytesOf(client, agent, file), [client, agent, key]);
  // While another version is asked for the one before stays: a flicker says nothing.
  const found = got?.key === key || !(got?.found instanceof Problem) ? got?.found : undefined;
  const there = found && !(found instanceof Problem) ? found : undefined;
  const name = file.name.split("/").at(-1)!;
  return (
    <div className="pv" data-version={got?.key === key ? file.seq : undefined}>
      <div className="preview-head">
        <IconButton label="Back to the list" className="back-b" onClick={close}>
          <Icon name="left" />
        </IconButton>
        <span className="crumbs" title={file.path}>
          <b>{name}</b>
        </span>
        <span className="ell dim">{wordsOf(file, state)}</span>
        <span className="grow" />
        {there && hasSource(kindOf(there)) ? <ReadOrSource asSource={asSource} set={setAsSource} /> : null}
      </div>
      {there?.truncated ? (
        <div className="bar2">
          <Icon name="alert" size={14} /> Only the beginning is shown.
        </div>
      ) : null}
      <div className={`preview-body ${there && fillsPanel(there, asSource) ? "tight" : ""}`}>
        {there ? (
          <Preview source={source} file={there} asSource={asSource} />
        ) : found instanceof Problem ? (
          found.code === "not_found" ? (
            <Empty title="No saved copy from that time" icon="history">
              <p>{found.message}</p>
            </Empty>
          ) : (
            <Failed what={`${name} cannot be read`} problem={found} />
          )
        ) : (
          <Loading rows={6} />
        )}
      </div>
    </div>
  );
}

function wordsOf({ version, by, at, group, node }: FileThen, state: State): string {
  const what = version === undefined ? (group === "Published" ? `${node},` : "") : `version ${version},`;
  return `${what} ${group === "Published" ? "published" : "written"} by ${by === "system" ? "Agiraph" : whoIs(state, by).name} at ${clock(at)}`;
}

/** Where in the workspace of its run it lies. */
const inRun = ({ path, run }: FileThen): string => path.slice(`runs/${run}/`.length);

async function read(client: Client, agent: string, file: FileThen, signal: AbortSignal): Promise<File> {
  const { from, run, seq, sha256, name } = file;
  const asFile = (told: Pick<File, "text" | "truncated"> & Partial<File>): File => ({
    kind: "file",
    changed_at: file.at,
    type: file.type ?? "",
    size: file.size ?? 0,
    ...told,
    sha256: sha256 ?? told.sha256 ?? "",
    path: from === "resource" && !/\.\w{1,8}$/.test(name) && told.text !== null ? `${name}.md` : name,
  });
  const gone = (why: string) => new Problem("not_found", `${name} was written over after event ${seq}, ${why}.`);
  if (from === "nowhere") throw gone("and the log does not keep what an agent writes into its memory");
  if (from === "event") return asFile(await client.readVersion({ params: { agent, seq }, signal }));
  if (from === "resource") {
    const answer = await client.readResource({ params: { agent, id: file.path }, signal });
    return asFile((await answer.json()) as File);
  }
  const answer =
    run === undefined
      ? await client.readMemory({ params: { agent, path: file.path }, signal })
      : await client.readWorkspace({ params: { agent, path: inRun(file) }, query: { run }, signal });
  const now = (await answer.json()) as File;
  if (sha256 !== undefined && now.sha256 !== sha256) throw gone("by hand and so that the log does not know of it");
  return asFile(now);
}

/** For what is drawn from its bytes: only what lies on the disk, or is a resource, is no text. */
function bytesOf(client: Client, agent: string, file: FileThen): Bytes {
  const query = { raw: "1" } as const;
  const { run, path, from } = file;
  if (from === "resource") {
    const params = { agent, id: path };
    return {
      address: () => addressOf(routes.readResource, { params, query }),
      bytes: async () => (await client.readResource({ params, query })).blob(),
    };
  }
  if (run === undefined) {
    const params = { agent, path };
    return {
      address: () => addressOf(routes.readMemory, { params, query }),
      bytes: async () => (await client.readMemory({ params, query })).blob(),
    };
  }
  const params = { agent, path: inRun(file) };
  return {
    address: () => addressOf(routes.readWorkspace, { params, query: { ...query, run } }),
    bytes: async () => (await client.readWorkspace({ params, query: { ...query, run } })).blob(),
  };
}

/** Attachments of a message: a card for each file, opened beside the thread or downloaded. */

import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { routes } from "../../api/index.ts";
import { addressOf } from "../../client/call.ts";
import { bytes } from "../../lib/text/amounts.ts";
import { Problem } from "../../schema/problem.ts";
import type { Attachment } from "../../schema/resource.ts";
import type { Bytes, File } from "../files/source.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Download } from "../parts/files/download.tsx";
import { useFetched } from "../parts/files/fetched.ts";
import { iconOf } from "../parts/files/file-icon.ts";
import { Failed, Loading } from "../parts/status/states.tsx";
import { useDrawer } from "../shell/drawer.tsx";
import { useClient } from "../store/hooks.ts";

const Preview = lazy(() => import("../files/preview.tsx").then((module) => ({ default: module.Preview })));

const address = (agent: string, id: string): string =>
  addressOf(routes.readResource, { params: { agent, id }, query: { raw: "1" } });

export function AttachedCards({ agent, attached }: { agent: string; attached: readonly Attachment[] }) {
  return (
    <ul className="atts">
      {attached.map((one, nth) => (
        <Card key={`${nth} ${one.id}`} agent={agent} one={one} />
      ))}
    </ul>
  );
}

function Card({ agent, one }: { agent: string; one: Attachment }) {
  const { id, title, type } = one;
  const drawer = useDrawer();
  const client = useClient();
  const [broken, setBroken] = useState(false);
  const isPicture = /^image\/(png|jpeg|gif|webp|avif)$/.test(type) && !broken;
  const { address: picture } = useFetched(isPicture ? id : undefined, async () =>
    (await client.readResource({ params: { agent, id }, query: { raw: "1" } })).blob(),
  );
  const open = () =>
    drawer.open({
      title: <Title agent={agent} one={one} />,
      body: <Opened key={id} agent={agent} one={one} />,
    });
  return (
    <li className="card art att">
      <span className="art-i">
        {picture ? (
          <img src={picture} alt="" onError={() => setBroken(true)} />
        ) : (
          <Icon name={iconOf(title)} size={20} />
        )}
      </span>
      <div>
        <h4 className="ell">{title}</h4>
        <p>
          {type}, {bytes(one.size)}
        </p>
      </div>
      <Button onClick={open} aria-label={`Open ${title}`}>
        Open
      </Button>
    </li>
  );
}

function Title({ agent, one: { id, title } }: { agent: string; one: Attachment }) {
  const client = useClient();
  return (
    <span className="att-t">
      <span className="ell">{title}</span>
      <Download
        className="ib"
        address={address(agent, id)}
        name={title}
        get={() => client.readResource({ params: { agent, id }, query: { raw: "1" } })}
        label={`Download ${title}`}
        title="Download"
      >
        <Icon name="dl" />
      </Download>
    </span>
  );
}

interface Told {
  text: string | null;
  truncated: boolean;
}

function Opened({ agent, one }: { agent: string; one: Attachment }) {
  const { id, title, type } = one;
  const client = useClient();
  const [found, setFound] = useState<Told | Problem>();
  useEffect(() => {
    const ending = new AbortController();
    client
      .readResource({ params: { agent, id }, signal: ending.signal })
      .then((answer) => answer.json())
      .then((told) => setFound(told as Told))
      .catch((error) => {
        if (!ending.signal.aborted)
          setFound(error instanceof Problem ? error : new Problem("unreachable", String(error)));
      });
    return () => ending.abort();
  }, [client, agent, id]);
  const source = useMemo<Bytes>(
    () => ({
      address: () => address(agent, id),
      bytes: async () => (await client.readResource({ params: { agent, id }, query: { raw: "1" } })).blob(),
    }),
    [client, agent, id],
  );
  if (found === undefined) return <Loading rows={5} />;
  if (found instanceof Problem) return <Failed what={`${title} cannot be shown`} problem={found} />;
  const path = /\.\w{1,8}$/.test(title) || found.text === null ? title : `${title}.md`;
  const file: File = {
    kind: "file",
    path,
    type,
    size: one.size,
    sha256: id,
    changed_at: "",
    text: found.text,
    truncated: found.truncated,
  };
  return (
    <div className="made">
      {found.truncated ? <p className="dim">Only the beginning is shown; download it to have all of it.</p> : null}
      <Suspense fallback={<Loading rows={5} />}>
        <Preview source={source} file={file} asSource={false} />
      </Suspense>
    </div>
  );
}

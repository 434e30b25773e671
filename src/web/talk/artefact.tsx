/** Published files of a node with its summary, opened beside the thread. */
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Problem } from "../../schema/problem.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { iconOf } from "../parts/files/file-icon.ts";
import { EvidenceMark } from "../parts/status/evidence.tsx";
import { Failed, Loading } from "../parts/status/states.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { CodeOrNode, Words } from "../parts/text/named.tsx";
import { useDrawer } from "../shell/drawer.tsx";
import { useClient } from "../store/hooks.ts";
import type { Item } from "./thread-item.ts";

type Published = Extract<Item, { kind: "published" }>;

export function Artefact({ agent, item: { node, summary, files, run, evidence } }: { agent: string; item: Published }) {
  const drawer = useDrawer();
  const [first] = files;
  const name = first?.path.split("/").at(-1) ?? node;
  const open = () =>
    drawer.open({
      title: <span className="mono">{node}</span>,
      body: (
        <div className="made">
          <Markdown text={summary} />
          {files.map((file) => (
            <OneFile key={file.path} agent={agent} run={run} path={pathOf(node, file.path)} name={file.path} />
          ))}
        </div>
      ),
    });
  return (
    <div className="card art">
      <span className="art-i">
        <Icon name={first ? iconOf(first.path) : "doc"} size={20} />
      </span>
      <div>
        <h4>
          {name}
          {files.length > 1 ? <span className="dim"> and {files.length - 1} more</span> : null}{" "}
          <EvidenceMark evidence={evidence} />
        </h4>
        <p className="two">
          <CodeOrNode text={node} /> <Words text={summary.split("\n")[0]!} />
        </p>
      </div>
      <Button onClick={open}>Open</Button>
    </div>
  );
}

/** Where the files of a node lie in the workspace. */
export const pathOf = (node: string, path: string): string => `nodes/${node}/published/${path}`;

interface Text {
  text: string | null;
  truncated: boolean;
}

function OneFile({ agent, run, path, name }: { agent: string; run: string; path: string; name: string }) {
  const client = useClient();
  const [found, setFound] = useState<Text | Problem>();
  useEffect(() => {
    let over = false;
    client
      .readWorkspace({ params: { agent, path }, query: { run } })
      .then((answer) => answer.json())
      .then((text) => !over && setFound(text as Text))
      .catch(
        (error) => !over && setFound(error instanceof Problem ? error : new Problem("unreachable", String(error))),
      );
    return () => {
      over = true;
    };
  }, [client, agent, path, run]);
  return (
    <section className="sec">
      <div className="sec-h">
        <Icon name={iconOf(name)} />
        <span className="mono">{name}</span>
        <Link className="lnk r" to="/agents/$agent/files" params={{ agent }} hash={path}>
          In files
        </Link>
      </div>
      {found === undefined ? <Loading /> : null}
      {found instanceof Problem ? <Failed what="This file cannot be shown" problem={found} /> : null}
      {found && "text" in found ? (
        found.text === null ? (
          <p className="dim">Not a text file.</p>
        ) : /\.(md|txt)$/.test(name) ? (
          <Markdown text={found.text} />
        ) : (
          <pre className="field mono">{found.text}</pre>
        )
      ) : null}
    </section>
  );
}

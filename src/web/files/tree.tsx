/** Folders and files as rows that open. Arrow keys walk through it, letters jump to a name. */
import type { CSSProperties, ReactNode } from "react";
import type { State } from "../../core/state.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { agentLook, nodeLook, StatusDot } from "../parts/status/status.tsx";
import { age } from "../parts/text/words.ts";
import { useNow } from "../store/hooks.ts";
import { useDrafts } from "./drafts.ts";
import type { Folders } from "./folders.ts";
import { endingOf } from "./preview.tsx";
import type { Source } from "./source.ts";
import { useTreeKeys } from "./tree-keys.ts";

interface Given {
  source: Source;
  folders: Folders;
  /** For how its run and nodes stand. */
  state?: State | undefined;
  /** Of the agent. */
  status?: string | undefined;
  chosen: string;
  choose(path: string): void;
}

export function Tree(given: Given) {
  const keys = useTreeKeys();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are of the rows in it
    <div onKeyDown={keys}>
      <Level {...given} path="" level={0} />
    </div>
  );
}

function Level({ path, level, ...given }: Given & { path: string; level: number }): ReactNode {
  const { source, folders, chosen, choose } = given;
  const now = useNow(30_000);
  const unsaved = useDrafts();
  const here = folders.listed.get(path);
  if (!here) return null;
  if (here.problem) return <p className="hint">{here.problem.message}</p>;
  if (here.entries.length === 0) return <p className="hint">{path ? "Empty" : "No files yet"}</p>;
  return (
    <ul>
      {here.entries.map(({ name, kind, changed_at }) => {
        const at = path ? `${path}/${name}` : name;
        const style = { "--lv": level } as CSSProperties;
        if (kind === "folder") {
          const open = folders.open.has(at);
          return (
            <li key={name}>
              <button
                type="button"
                className={`tr dir ${!open && chosen.startsWith(`${at}/`) ? "has" : ""}`}
                style={style}
                data-path={at}
                aria-expanded={open}
                onClick={() => folders.toggle(at)}
              >
                <Icon name={open ? "down" : "right"} size={12} />
                <Icon name={open ? "folder2" : "files"} />
                <span className="name">{name}</span>
                <Mark {...given} path={at} />
              </button>
              {open ? <Level {...given} path={at} level={level + 1} /> : null}
            </li>
          );
        }
        const ago = now - Date.parse(changed_at);
        return (
          <li key={name}>
            <button
              type="button"
              className={`tr ${at === chosen ? "on" : ""}`}
              style={style}
              data-path={at}
              aria-current={at === chosen ? "true" : undefined}
              disabled={kind === "other"}
              title={kind === "other" ? `${name} is a link; it is not followed` : name}
              onClick={() => choose(at)}
            >
              <Icon name={iconOf(name)} />
              <span className="name">{name}</span>
              {unsaved(source.key(at)) ? (
                <span className="note draft">draft</span>
              ) : ago < 600_000 ? (
                <span className="note new">{ago < 30_000 ? "now" : age(changed_at, now)}</span>
              ) : null}
            </button>
          </li>
        );
      })}
      {here.truncated ? <li className="hint">There are more files than can be shown here</li> : null}
    </ul>
  );
}

/** How a run or a node stands, and what is sealed. */
function Mark({ source, state, status, path }: Given & { path: string }) {
  if (state?.run && path === state.run.id) {
    const { look, word } = agentLook(status ?? "idle");
    return <StatusDot look={look} word={word} />;
  }
  const place = source.placeIn(path);
  const [, node, published] = /^nodes\/([^/]+)(\/published)?$/.exec(place?.path ?? "") ?? [];
  if (node === undefined) return null;
  const now = state?.run?.id === place?.run ? state?.nodes.get(node) : undefined;
  const isSealed = published && (now ? now.status === "completed" : state?.run?.id !== place?.run);
  if (isSealed) return <span className="note">sealed</span>;
  return now && !published ? <StatusDot {...nodeLook(now.status)} /> : null;
}

const icons: [RegExp, string][] = [
  [/^(png|jpe?g|gif|webp|avif|svg|bmp)$/, "img"],
  [/^(csv|tsv|xlsx)$/, "table"],
  [/^(json|jsonl|ya?ml|toml|html?|js|ts|tsx|py|sh|css|go|rs)$/, "code"],
];
export const iconOf = (name: string): string => icons.find(([endings]) => endings.test(endingOf(name)))?.[1] ?? "doc";

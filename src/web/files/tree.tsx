/** Folders and files as rows that open. Arrow keys walk through it. */
import type { CSSProperties, KeyboardEvent, ReactNode } from "react";
import type { State } from "../../core/state.ts";
import { Icon } from "../parts/icon.tsx";
import { nodeLook, StatusDot } from "../parts/status.tsx";
import { age } from "../parts/words.ts";
import { useNow } from "../store/hooks.ts";
import type { Folders } from "./folders.ts";
import { endingOf } from "./preview.tsx";

interface Given {
  folders: Folders;
  /** Of the run whose files these are, for the state of its nodes. */
  state?: State | undefined;
  chosen: string;
  choose(path: string): void;
}

export function Tree(given: Given) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are of the rows in it
    <div onKeyDown={walk}>
      <Level {...given} path="" level={0} />
    </div>
  );
}

function Level({ path, level, ...given }: Given & { path: string; level: number }): ReactNode {
  const { folders, state, chosen, choose } = given;
  const now = useNow(30_000);
  const here = folders.listed.get(path);
  if (!here) return null;
  if (here.problem) return <p className="hint">{here.problem.message}</p>;
  if (here.entries.length === 0) return <p className="hint">{path ? "Empty" : "There is nothing yet"}</p>;
  return (
    <ul>
      {here.entries.map(({ name, kind, changed_at }) => {
        const at = path ? `${path}/${name}` : name;
        const style = { "--lv": level } as CSSProperties;
        const node = path === "nodes" ? state?.nodes.get(name) : undefined;
        if (kind === "folder") {
          const open = folders.open.has(at);
          return (
            <li key={name}>
              <button
                type="button"
                className="tr dir"
                style={style}
                aria-expanded={open}
                onClick={() => folders.toggle(at)}
              >
                <Icon name={open ? "down" : "right"} size={12} />
                <Icon name={open ? "folder2" : "files"} />
                <span className="nm">{name}</span>
                {node ? <StatusDot {...nodeLook(node.status)} /> : null}
              </button>
              {open ? <Level {...given} path={at} level={level + 1} /> : null}
            </li>
          );
        }
        const fresh = now - Date.parse(changed_at) < 600_000;
        return (
          <li key={name}>
            <button
              type="button"
              className={`tr ${at === chosen ? "on" : ""}`}
              style={style}
              aria-current={at === chosen ? "true" : undefined}
              disabled={kind === "other"}
              title={kind === "other" ? `${name} is a link; it is not followed` : name}
              onClick={() => choose(at)}
            >
              <Icon name={iconOf(name)} />
              <span className="nm">{name}</span>
              {fresh ? <span className="note new">{age(changed_at, now)}</span> : null}
            </button>
          </li>
        );
      })}
      {here.truncated ? <li className="hint">There are more than can be shown here</li> : null}
    </ul>
  );
}

const icons: [RegExp, string][] = [
  [/^(png|jpe?g|gif|webp|avif|svg|bmp)$/, "img"],
  [/^(csv|tsv|xlsx)$/, "table"],
  [/^(json|jsonl|ya?ml|toml|html?|js|ts|tsx|py|sh|css|go|rs)$/, "code"],
];
export const iconOf = (name: string): string => icons.find(([endings]) => endings.test(endingOf(name)))?.[1] ?? "doc";

function walk(event: KeyboardEvent<HTMLDivElement>): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLButtonElement>(".tr:not(:disabled)")];
  const at = rows.indexOf(event.target as HTMLButtonElement);
  const row = rows[at];
  if (!row) return;
  const open = row.getAttribute("aria-expanded");
  if (event.key === "ArrowDown") rows[at + 1]?.focus();
  else if (event.key === "ArrowUp") rows[at - 1]?.focus();
  else if ((event.key === "ArrowRight" && open === "false") || (event.key === "ArrowLeft" && open === "true"))
    row.click();
  else if (event.key === "ArrowRight" && open === "true") rows[at + 1]?.focus();
  else return;
  event.preventDefault();
}

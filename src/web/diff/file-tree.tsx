/** The changed files by folder, with how much changed in each and how many comments it has; and the same as a choice, where there is little room. */
import { memo, useMemo } from "react";

import type { Diff, FileDiff } from "../../schema/diff.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { plural } from "../parts/text/words.ts";
import { foldersOf } from "./folders.ts";
import { Stat } from "./stat.tsx";

interface Given {
  diff: Diff;
  /** Index of the file that is looked at. */
  chosen: number;
  choose(file: number): void;
  /** By path. */
  comments: ReadonlyMap<string, number>;
}

export const FileTree = memo(({ diff, chosen, choose, comments }: Given) => {
  const folders = useMemo(() => foldersOf(diff), [diff]);
  return (
    <nav className="dv-tree" aria-label="Changed files">
      <div className="dv-tree-h">
        Files<span className="r num">{diff.files.length} changed</span>
      </div>
      {folders.map(({ path, files }) => (
        <div key={path}>
          {path ? (
            <div className="tf dir" title={path}>
              <Icon name="files" size={14} />
              <span className="ell">{path}</span>
            </div>
          ) : null}
          {files.map(({ file, index, name }) => (
            <button
              key={file.path}
              type="button"
              className={`tf ${path ? "in" : ""} ${index === chosen ? "on" : ""} ${file.status}`}
              aria-current={index === chosen || undefined}
              title={titleOf(file)}
              onClick={() => choose(index)}
            >
              <Icon name={file.binary ? "img" : "code"} size={14} />
              <span className="ell">{name}</span>
              {comments.get(file.path) ? (
                <span className="cm num" title={plural(comments.get(file.path)!, "comment")}>
                  <Icon name="talk" size={12} />
                  {comments.get(file.path)}
                </span>
              ) : null}
              {file.binary ? <span className="pm dim">binary</span> : <Stat {...file} />}
            </button>
          ))}
        </div>
      ))}
    </nav>
  );
});

export const FilePick = memo(({ diff, chosen, choose }: Omit<Given, "comments">) => (
  <select
    className="dv-pick"
    aria-label="Go to file"
    value={chosen}
    onChange={({ target }) => choose(Number(target.value))}
  >
    {diff.files.map(({ path }, index) => (
      <option key={path} value={index}>
        {path}
      </option>
    ))}
  </select>
));

const titleOf = ({ path, old_path, status }: FileDiff): string =>
  status === "renamed" && old_path ? `${path}, was ${old_path}` : `${path}, ${status}`;

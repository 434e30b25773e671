/** Finds files by name, and in the memory by words and meaning. */
import { useEffect, useState } from "react";
import { Problem } from "../../schema/problem.ts";
import { Icon } from "../parts/icon.tsx";
import { after } from "../platform.ts";
import { useClient } from "../store/hooks.ts";
import type { Folders } from "./folders.ts";
import type { Source } from "./source.ts";
import { iconOf } from "./tree.tsx";

interface Hit {
  path: string;
  section?: string;
  text?: string;
}
const most = 100;

export function Hits({
  query,
  source,
  folders,
  choose,
}: {
  query: string;
  source: Source;
  folders: Folders;
  choose(path: string): void;
}) {
  const client = useClient();
  const [hits, setHits] = useState<Hit[]>();
  const [by, setBy] = useState("");
  const [problem, setProblem] = useState("");
  const { walk } = folders;
  useEffect(() => {
    let over = false;
    async function find(): Promise<void> {
      const names = (await walk()).filter((path) => path.toLowerCase().includes(query.toLowerCase()));
      let found: Hit[] = names.slice(0, most).map((path) => ({ path }));
      if (source.of === "memory") {
        const said = await client.searchMemory({ params: { agent: source.agent }, body: { query, limit: 30 } });
        found = [...found, ...said.found];
        if (!over) setBy(`by name, and by ${said.by}`);
      } else if (!over) setBy("by name");
      if (over) return;
      setProblem("");
      setHits(found);
    }
    const cancel = after(200, () => {
      find().catch((error: unknown) => {
        if (!over) setProblem(error instanceof Problem ? error.message : String(error));
      });
    });
    return () => {
      over = true;
      cancel();
    };
  }, [query, source, client]);
  if (problem) return <p className="hint">{problem}</p>;
  if (!hits) return <p className="hint">Looking…</p>;
  return (
    <div role="status">
      <p className="hint">
        {hits.length ? `${hits.length} found` : "Nothing found"}, {by}
      </p>
      {hits.map(({ path, section, text }, index) => (
        <button key={index} type="button" className="hit" onClick={() => choose(path.replace(/^memory\//, ""))}>
          <b>
            <Icon name={iconOf(path)} size={12} className="inline-block" /> {path}
            {section ? ` · ${section}` : ""}
          </b>
          {text ? <span>{text}</span> : null}
        </button>
      ))}
    </div>
  );
}

/**
 * Words in which nodes and people are named: a node's id is a small button with how it stands now, a name after an @ is set off. Only where a page
 * says whose they are (`NamedContext`); elsewhere it is plain text. What is not on the board is left as it is written.
 */
import { createContext, type ReactNode, useContext } from "react";
import type { State } from "../../../core/state.ts";
import { useFollowed } from "../../store/follow.ts";
import { useStore } from "../../store/hooks.ts";
import { nodeLook, StatusDot } from "../status/status.tsx";

export interface Named {
  agent: string;
  /** Shows the node. */
  open(node: string): void;
  /** How all stood at a moment of the past; missing: as it is now. */
  past?: State;
}

export const NamedContext = createContext<Named | null>(null);

const names = /(?<![\p{L}\p{N}_/.@-])(n\d+-[a-z0-9-]*[a-z0-9]|@[\p{L}\p{N}_-]*[\p{L}\p{N}])(?![\p{L}\p{N}_/-])/gu;

export function Words({ text }: { text: string }): ReactNode {
  const named = useContext(NamedContext);
  if (!named) return text;
  const parts = text.split(names);
  if (parts.length === 1) return text;
  return parts.map((part, index) => {
    if (index % 2 === 0) return part;
    const key = `${index}`;
    return part.startsWith("@") ? <At key={key} {...named} said={part} /> : <NodeChip key={key} {...named} id={part} />;
  });
}

/** A piece of code that is nothing but a node's id is one. */
export function CodeOrNode({ text }: { text: string }) {
  const named = useContext(NamedContext);
  if (named && /^n\d+-[a-z0-9-]*[a-z0-9]$/.test(text))
    return (
      <NodeChip {...named} id={text}>
        <code>{text}</code>
      </NodeChip>
    );
  return <code>{text}</code>;
}

export function NodeChip({ agent, open, past, id, children = id }: Named & { id: string; children?: ReactNode }) {
  const store = useStore();
  const status = useFollowed(store.subscribe, () => (past ?? store.agent(agent)?.state)?.nodes.get(id)?.status);
  if (status === undefined) return children;
  const { look, word } = nodeLook(status);
  return (
    <button type="button" className="nd" title={`${id}: ${word}`} onClick={() => open(id)}>
      <StatusDot look={look} word={word} />
      {id}
    </button>
  );
}

function At({ agent, past, said }: Named & { said: string }) {
  const store = useStore();
  const wanted = said.slice(1).toLowerCase();
  const known = useFollowed(store.subscribe, () => {
    if (/^(all|everyone)$/.test(wanted)) return true;
    const people = (past ?? store.agent(agent)?.state)?.participants.values() ?? [];
    return [...people].some(({ id, name }) => id === wanted || name.toLowerCase() === wanted);
  });
  return known ? <span className="at">{said}</span> : said;
}

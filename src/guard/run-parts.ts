/**
 * What the run itself holds for a task: shared documents and what others said. Those that concern the task are shown as far as there is room; of the rest a
 * line says which call reads it. It is text by others, so it is data.
 */
import { lead } from "../core/run/lead.ts";
import type { State } from "../core/state.ts";
import { shortLine } from "../lib/text/text.ts";
import type { Document } from "../schema/document.ts";
import type { Thinker } from "../schema/worker.ts";
import { asData } from "../toolkit/data.ts";
import { taskOf } from "../toolkit/need.ts";
import type { Part } from "./parts.ts";
import { relevance, relevant } from "./relevance.ts";

const most = { documents: 20, messages: 6, characters: 400 };

/** `read`: the text of this version of a document. */
export async function documentParts(
  state: State,
  one: Thinker,
  read: (document: Document) => Promise<string>,
): Promise<Part[]> {
  const newest = [...state.documents.values()].toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, most.documents);
  const task = taskOf(state, { ...one, unread: [] });
  return await Promise.all(
    newest.map(async (document, at): Promise<Part> => {
      const { name, version, size } = document;
      const text = await read(document);
      const { score, why } = relevance(task, { name, text, newness: 1 - at / most.documents });
      const source = `documents/${name}`;
      return {
        ...{ name: "documents", source, why, score, isData: true, title: "Shared documents" },
        value: score >= relevant ? "task" : "call",
        text: asData({ from: `${source}, version ${version}`, text, exact: true }),
        brief: `${source}, ${size} bytes; read_file reads it`,
      };
    }),
  );
}

/** For who holds a node: what others said to each other about it. Where nobody leads, everybody is shown the latest anyway. */
export function channelParts(state: State, one: Thinker): Part[] {
  const node = one.node === undefined ? undefined : state.nodes.get(one.node);
  if (!node || !lead(state)) return [];
  const task = `${node.id} ${node.name} ${taskOf(state, { ...one, unread: [] })}`;
  const others = state.channel.filter(({ from, to }) => from !== one.id && from !== "human" && !to.includes(one.id));
  const judged = others.map((message, at) => {
    const links = [node.id, ...node.depends_on].filter((id) => message.text.includes(id)).length;
    const { score } = relevance(task, { name: `${message.from} to`, text: message.text, newness: at / others.length });
    return { message, score: score + links, links };
  });
  return judged
    .filter(({ score }) => score >= relevant)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most.messages)
    .map(({ message: { from, to, text }, score, links }) => ({
      ...{ name: "channel", value: "task", source: "the channel", score, isData: true },
      why: links ? "it names the node or what it builds on" : "it concerns the task",
      title: "Said between others about this",
      text: asData({ from: `${from} to ${to.join(", ")}`, text: shortLine(text, most.characters) }),
    }));
}

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
import { type Meaning, noMeaning } from "./meaning.ts";
import type { Part } from "./parts.ts";
import { relevance, relevant } from "./relevance.ts";

/** `compared`: the latest messages, whose meaning is looked at as well. */
const most = { documents: 20, messages: 6, characters: 400, compared: 40 };

/** `read`: the text of this version of a document. */
export async function documentParts(
  state: State,
  one: Thinker,
  read: (document: Document) => Promise<string>,
  meaning: Meaning = noMeaning,
): Promise<Part[]> {
  const newest = [...state.documents.values()].toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, most.documents);
  const task = taskOf(state, { ...one, unread: [] });
  const texts = await Promise.all(newest.map(read));
  const nearness = await meaning(
    task,
    newest.map(({ name }, at) => `${name}. ${texts[at]}`),
  );
  return newest.map((document, at): Part => {
    const { name, version, size } = document;
    const text = texts[at]!;
    const newness = 1 - at / most.documents;
    const { score, why } = relevance(task, { name, text, newness, nearness: nearness[at] ?? 0 });
    const source = `documents/${name}`;
    return {
      ...{ name: "documents", source, why, score, isData: true, title: "Shared documents" },
      value: score >= relevant ? "task" : "call",
      text: asData({ from: `${source}, version ${version}`, text, exact: true }),
      brief: `${source}, ${size} bytes; read_file reads it`,
    };
  });
}

/** For who holds a node: what others said to each other about it. Where nobody leads, everybody is shown the latest anyway. */
export async function channelParts(state: State, one: Thinker, meaning: Meaning = noMeaning): Promise<Part[]> {
  const node = one.node === undefined ? undefined : state.nodes.get(one.node);
  if (!node || !lead(state)) return [];
  const task = `${node.id} ${node.name} ${taskOf(state, { ...one, unread: [] })}`;
  const others = state.channel.filter(({ from, to }) => from !== one.id && from !== "human" && !to.includes(one.id));
  const newest = others.slice(-most.compared);
  const compared = await meaning(
    task,
    newest.map(({ text }) => text),
  );
  const judged = others.map((message, at) => {
    const nearness = compared[at - (others.length - newest.length)] ?? 0;
    const links = [node.id, ...node.depends_on].filter((id) => message.text.includes(id)).length;
    const about = { name: `${message.from} to`, text: message.text, newness: at / others.length, nearness };
    const { score } = relevance(task, about);
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

/**
 * What the palette finds in texts, of the agent that is looked at: messages of the run, which are here; files and memory, which the daemon
 * looks through. From three letters on, and not while somebody still writes.
 */

import { useEffect, useState } from "react";
import type { Client } from "../../client/index.ts";
import { wholeText } from "../../core/message/attachments.ts";
import type { State } from "../../core/state.ts";
import { Problem } from "../../schema/problem.ts";
import { whoIs } from "../parts/status/avatar.tsx";
import { withoutMarks } from "../parts/text/plain-words.ts";
import { clock } from "../parts/text/words.ts";
import { after } from "../platform.ts";
import { useAgent, useClient } from "../store/hooks.ts";
import { isLeaderless, threadSearch } from "../store/main-thread.ts";
import type { Match } from "./palette-find.ts";
import type { Item } from "./palette-items.ts";

const fewest = 3;
const most = 5;
const pauseMs = 250;

interface Answer {
  asked: string;
  groups: Match[];
  problem?: string;
}

export interface Searched {
  groups: Match[];
  /** Why there may be more, or why not all was looked through. */
  note?: string;
}

export function useSearch(agent: string | undefined, text: string): Searched {
  const client = useClient();
  const state = useAgent(agent ?? "");
  const query = text.trim();
  const asked = agent !== undefined && query.length >= fewest && !/^[@#>]/.test(query) ? `${agent} ${query}` : "";
  const [answer, setAnswer] = useState<Answer>();
  useEffect(() => {
    if (!asked || agent === undefined) return;
    const ending = new AbortController();
    const cancel = after(pauseMs, () => {
      look(client, agent, query, ending.signal)
        .then((groups) => ({ asked, groups }))
        .catch((error) => ({ asked, groups: [], problem: error instanceof Problem ? error.message : String(error) }))
        .then((said) => !ending.signal.aborted && setAnswer(said));
    });
    return () => {
      cancel();
      ending.abort();
    };
  }, [client, agent, asked, query]);
  if (!asked || agent === undefined) return { groups: [] };
  const messages = state ? inMessages(agent, state, query) : [];
  const here: Match[] = messages.length ? [{ title: "Messages", items: messages }] : [];
  if (answer?.asked !== asked) return { groups: here, note: "Searching files and memory…" };
  const { groups, problem } = answer;
  const files = groups.filter(({ title }) => title === "Files");
  const rest = groups.filter(({ title }) => title !== "Files");
  return {
    groups: [...files, ...here, ...rest],
    ...(problem ? { note: `Files and memory could not be searched: ${problem}` } : {}),
  };
}

async function look(client: Client, agent: string, query: string, signal: AbortSignal): Promise<Match[]> {
  const params = { agent };
  const [files, notes] = await Promise.all([
    client.findInFiles({ params, query: { query, limit: 4 * most }, signal }),
    client.searchMemory({ params, body: { query, limit: most }, signal }),
  ]);
  // What was said and done lies there as files, too; what we write for the workers comes after what they wrote.
  const others = files.items
    .filter(({ path }) => !/^_messages\/|\.jsonl$/.test(path))
    .sort((a, b) => Number(isOurs(a.path)) - Number(isOurs(b.path)))
    .slice(0, most);
  const inFiles = others.map(({ path, lines: [line] }, index): Item => {
    const hash = line ? `${path}?line=${line.line}` : path;
    return {
      ...{
        id: `file-${index}`,
        kind: "file",
        name: nameOf(path),
        about: line ? withoutMarks(line.text) : path,
        icon: "doc",
      },
      note: [/^nodes\/(n\d+)/.exec(path)?.[1], line && `line ${line.line}`].filter(Boolean).join(", "),
      go: (navigate) => navigate({ to: "/agents/$agent/files", params, hash }),
    };
  });
  const inMemory = notes.found.slice(0, most).map(({ path, section, text }, index): Item => {
    const place = path.replace(/^memory\//, "");
    return {
      ...{
        id: `memory-${index}`,
        kind: "memory",
        name: section || nameOf(place),
        about: withoutMarks(text),
        icon: "memory",
      },
      note: nameOf(place),
      go: (navigate) => navigate({ to: "/agents/$agent/memory", params, hash: place }),
    };
  });
  return [
    { title: "Files", items: inFiles },
    { title: "Memory", items: inMemory },
  ].filter(({ items }) => items.length > 0);
}

/** The newest that have every word, in the thread where they stand. */
export function inMessages(agent: string, state: State, query: string): Item[] {
  const words = query.toLowerCase().split(/\s+/);
  const found: Item[] = [];
  for (let index = state.channel.length - 1; index >= 0 && found.length < most; index--) {
    const { id, from, to, at, ...message } = state.channel[index]!;
    const text = wholeText(message);
    const said = text.toLowerCase();
    if (!words.every((word) => said.includes(word))) continue;
    const thread = isLeaderless(state)
      ? undefined
      : [from, ...to].find((one) => one !== "human" && one !== "coordinator");
    const who = whoIs(state, from);
    found.push({
      ...{ id: `message-${id}`, kind: "message", name: who.name, about: around(text, words[0]!), who, note: clock(at) },
      go: (navigate) =>
        navigate({ to: "/agents/$agent/talk", params: { agent }, search: thread ? threadSearch(state, thread) : {} }),
    });
  }
  return found;
}

/** The words with a little before them. */
function around(text: string, word: string): string {
  const line = withoutMarks(text);
  const at = line.toLowerCase().indexOf(word);
  return at > 30 ? `…${line.slice(at - 20)}` : line;
}

const nameOf = (path: string): string => path.split("/").at(-1) ?? path;
const isOurs = (path: string): boolean => nameOf(path).startsWith("_");

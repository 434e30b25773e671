/**
 * Documents, judged from the raw log and the stored texts: no accepted change is lost under another one.
 *
 * Versions are counted without a gap. A call that named the version it had read was accepted only as the next one, and what was appended stands behind
 * the whole text of the version before. No version is the human's that only brings an earlier text back: people here never write one text twice, so
 * that would be our own file, taken for an edit by hand.
 */
import type { Line } from "./history.ts";
import type { Blob } from "./saved.ts";

type Violated = (invariant: string, what: string) => void;

interface Version {
  version: number;
  sha256: string;
}

interface Call {
  tool: string;
  input: { name?: string; base?: number; content?: string };
}

/** The calls of every agent, by their keys: a guest writes into the log of another one. */
export function documentCalls(logs: ReadonlyMap<string, readonly Line[]>): ReadonlyMap<string, Call> {
  const calls = new Map<string, Call>();
  for (const [agent, lines] of logs)
    for (const { type, run, data } of lines)
      for (const call of type === "turn.answered" ? (data.calls as ({ id: string } & Call)[]) : [])
        if (/^document_(write|append)$/.test(call.tool)) calls.set(`${agent}/${run}/${data.turn}/${call.id}`, call);
  return calls;
}

export async function checkDocuments(
  lines: readonly Line[],
  calls: ReadonlyMap<string, Call>,
  blob: Blob,
  violated: Violated,
  count: (what: string) => void,
): Promise<void> {
  const versions = new Map<string, Version>();
  /** Every text that a document has had. */
  const texts = new Set<string>();
  for (const { seq, type, data, cause, actor } of lines) {
    const name = String(data.document);
    if (type === "run.started") for (const past of [versions, texts]) past.clear();
    if (type === "document.removed") versions.delete(name);
    if (type !== "document.written") continue;
    const before = versions.get(name);
    const [version, sha256] = [Number(data.version), String(data.sha256)];
    const what = `version ${version} of ${name}, event ${seq},`;
    if (version !== (before?.version ?? 0) + 1) violated("document", `${what} follows version ${before?.version ?? 0}`);
    versions.set(name, { version, sha256 });
    if (actor === "human" && texts.has(`${name} ${sha256}`))
      violated("document", `${what} is an earlier version that nobody brought back`);
    texts.add(`${name} ${sha256}`);
    const text = await blob(sha256);
    if (!text) violated("document", `${what} has no text`);
    // The key of the call that wrote it; a guest's has its name before it.
    const call = calls.get((cause ?? "").split("#")[0]!.replace(/^agent:[^/]+\//, ""));
    if (!call) continue;
    count(call.tool);
    if (call.tool === "document_write" && (call.input.base ?? 0) !== (before?.version ?? 0))
      violated("document", `${what} was written over ${before?.version ?? 0} by who had read ${call.input.base ?? 0}`);
    if (call.tool !== "document_append" || !text) continue;
    const old = before ? String(await blob(before.sha256)) : "";
    if (
      !String(text).startsWith(old) ||
      !String(text)
        .slice(old.length)
        .includes(call.input.content ?? "")
    )
      violated("document", `${what} is not the text of version ${before?.version ?? 0} with a line more`);
  }
}

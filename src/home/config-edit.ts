/**
 * Adds a host to `sandbox.network` in the text of a config.yaml, as a person would: everything else in the file stays as it is, comments, order and
 * spacing included.
 *
 * Always holds: the result means the same as before plus this one entry; what cannot be edited so is refused, and nothing is changed.
 */
import { isDeepStrictEqual } from "node:util";
import { type Document, isMap, isScalar, isSeq, type Node, parseDocument } from "yaml";
import { Problem } from "../schema/problem.ts";

/** The new text; the same if the entry is there. Throws `invalid` if the file is not valid or cannot be edited in place. */
export function addHost(text: string, entry: string): string {
  const document = parseDocument(text);
  if (document.errors.length) throw unfit(entry, "it is not valid YAML");
  const before = (document.toJS() ?? {}) as { sandbox?: { network?: unknown } | null };
  const listed = listOf(before.sandbox?.network);
  if (listed.includes(entry)) return text;
  const wanted = { ...before, sandbox: { ...before.sandbox, network: [...listed, entry] } };
  for (const edited of attempts(document, text, JSON.stringify(entry), listed)) {
    const parsed = parseDocument(edited);
    if (!parsed.errors.length && isDeepStrictEqual(parsed.toJS(), wanted)) return edited;
  }
  throw unfit(entry, "it is written in a way that Agiraph does not change");
}

const listOf = (network: unknown): string[] =>
  Array.isArray(network) ? network.map(String) : typeof network === "string" ? [network] : [];

const unfit = (entry: string, why: string): Problem =>
  new Problem("invalid", `${entry} was not written to config.yaml, because ${why}; add it to sandbox.network yourself`);

/** Each is checked; the first that says what is wanted is taken. */
function* attempts(document: Document, text: string, entry: string, listed: readonly string[]): Generator<string> {
  const flow = `[${[...listed.map((one) => JSON.stringify(one)), entry].join(", ")}]`;
  const network = document.getIn(["sandbox", "network"], true) as Node | undefined;
  if (isSeq(network) && network.range) {
    const [start, end] = network.range;
    const last = (network.items.at(-1) as Node | undefined)?.range?.[1];
    if (network.flow) {
      const at = last ?? start + 1;
      yield `${text.slice(0, at)}${last === undefined ? "" : ", "}${entry}${text.slice(at)}`;
    } else {
      const column = start - (text.lastIndexOf("\n", start - 1) + 1);
      const line = text.indexOf("\n", last ?? end);
      const at = line < 0 ? text.length : line;
      yield `${text.slice(0, at)}\n${" ".repeat(column)}- ${entry}${text.slice(at)}`;
    }
  } else if (isScalar(network) && network.range) {
    yield text.slice(0, network.range[0]) + (network.value === null ? ` ${flow}` : flow) + text.slice(network.range[1]);
  }
  const sandbox = document.get("sandbox", true) as Node | undefined;
  if (isMap(sandbox) && sandbox.range && network === undefined) {
    const [start] = sandbox.range;
    if (sandbox.flow) yield `${text.slice(0, start + 1)} network: ${flow}, ${text.slice(start + 1).trimStart()}`;
    const indent = " ".repeat(start - (text.lastIndexOf("\n", start - 1) + 1));
    yield `${text.slice(0, start)}network: ${flow}\n${indent}${text.slice(start)}`;
  }
  if (sandbox === undefined) {
    const end = text === "" || text.endsWith("\n") ? "" : "\n";
    yield `${text}${end}sandbox:\n  network: ${flow}\n`;
  }
}

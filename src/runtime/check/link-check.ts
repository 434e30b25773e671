/**
 * Every link in it resolves: relative ones and anchors within what is published, http links on the network.
 *
 * A link to the network is asked for only where the author could fetch it without asking anyone (`may`): otherwise a text could carry something
 * away in the address. What could not be asked, or gave no clear answer, makes the check errored, not failed.
 */
import { NetworkError } from "../../lib/network/network-error.ts";
import type { World } from "../../lib/world.ts";
import type { Check } from "../../schema/evidence.ts";
import type { Draft } from "../workspace/publish.ts";
import { type Said, textIn } from "./draft.ts";
import { inspect } from "./inspect.ts";
import type { Links } from "./links.ts";

export interface LinkCheckOptions {
  world: World;
  draft: Draft;
  signal: AbortSignal;
  /** Why this address may not be asked for; nothing if it may. */
  may(url: string): string | undefined;
}

const isMarkdown = (path: string): boolean => /\.(md|markdown)$/i.test(path);
const isHtml = (path: string): boolean => /\.html?$/i.test(path);
const mostFiles = 500;
const mostBytes = 4 * 1024 * 1024;
/** Addresses on the network. */
const mostAddresses = 200;

export async function checkLinks(check: Extract<Check, { links: unknown }>, options: LinkCheckOptions): Promise<Said> {
  const { draft } = options;
  const wanted =
    check.links === true
      ? draft.files.map(({ path }) => path).filter((path) => isMarkdown(path) || isHtml(path))
      : [check.links];
  if (wanted.length > mostFiles)
    return { outcome: "errored", output: `there are more than ${mostFiles} files to look at` };
  const read = reader(options);
  const [wrong, unclear] = [[] as string[], [] as string[]];
  const outside = new Map<string, string>();
  let count = 0;
  for (const path of wanted) {
    const found = await read(path);
    if (typeof found === "string") {
      ((await draft.stat(path)) ? unclear : wrong).push(found);
      continue;
    }
    for (const link of found.links) {
      count++;
      if (/^https?:/i.test(link)) outside.set(link, path);
      else if (!/^[a-z][a-z0-9+.-]*:|^\/\//i.test(link)) {
        const problem = await within(draft, path, link, read);
        if (problem) wrong.push(`${path}: ${link} ${problem}`);
      }
    }
  }
  if (outside.size > mostAddresses)
    unclear.push(`there are ${outside.size} addresses; only ${mostAddresses} are asked for`);
  for (const [url, path] of [...outside].slice(0, mostAddresses)) {
    const answer = await reach(url, options);
    if (answer) (answer.clear ? wrong : unclear).push(`${path}: ${url} ${answer.problem}`);
  }
  const lines = [...wrong, ...unclear.map((line) => `not known: ${line}`)];
  const outcome = wrong.length ? "failed" : unclear.length ? "errored" : "passed";
  return { outcome, output: lines.join("\n") || `${count} links in ${wanted.length} files resolve` };
}

/** What is in a file, or why that is not known; each is looked at once. */
function reader({ world, draft, signal }: LinkCheckOptions): (path: string) => Promise<Links | string> {
  const known = new Map<string, Promise<Links | string>>();
  const look = async (path: string): Promise<Links | string> => {
    const found = await textIn(draft, path, mostBytes);
    if ("missing" in found) return found.missing;
    const answer = await inspect(world, { do: "links", text: found.text, html: isHtml(path) }, signal);
    if ("broken" in answer) return `${path}: ${answer.broken}`;
    return "links" in answer ? answer : { links: [], anchors: [] };
  };
  return (path) => {
    const made = known.get(path) ?? look(path);
    known.set(path, made);
    return made;
  };
}

/** What is wrong with a link inside of what is published. */
async function within(
  draft: Draft,
  from: string,
  link: string,
  read: ReturnType<typeof reader>,
): Promise<string | undefined> {
  const [, before = "", anchor] = /^([^#]*)(?:#(.*))?$/s.exec(link) ?? [];
  const path = before.split("?")[0]!;
  const target = path ? resolved(from, path) : from;
  if (target === undefined) return "leads out of what is published";
  if (!(await draft.stat(target))) return "is not among the published files";
  if (!anchor || !(isMarkdown(target) || isHtml(target))) return undefined;
  const found = await read(target);
  const names = [anchor, decoded(anchor), decoded(anchor).toLowerCase()];
  return typeof found === "string" || names.some((name) => found.anchors.includes(name))
    ? undefined
    : `names an anchor that ${target} does not have`;
}

/** As a path of what is published; nothing if it leads out. A path from the root is one from what is published. */
function resolved(from: string, path: string): string | undefined {
  const steps = path.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const step of decoded(path).split("/")) {
    if (step === "..") {
      if (!steps.length) return undefined;
      steps.pop();
    } else if (step && step !== ".") steps.push(step);
  }
  return steps.join("/");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // as it is written, then
  }
}

/** `clear`: it is certain that it does not resolve. */
async function reach(
  url: string,
  { world, signal, may }: LinkCheckOptions,
): Promise<{ problem: string; clear: boolean } | undefined> {
  const refused = may(url);
  if (refused) return { problem: `was not asked for: ${refused}`, clear: false };
  try {
    const { status } = await world.network.request({ url, signal, maxBytes: 5_000_000, timeoutMs: 20_000 });
    if (status === 404 || status === 410) return { problem: `answers ${status}`, clear: true };
    return status >= 500 ? { problem: `answers ${status}`, clear: false } : undefined;
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    signal.throwIfAborted();
    if (error.code === "too_large") return undefined; // there is more of it than anyone needs to know
    return { problem: error.message, clear: error.code === "invalid" };
  }
}

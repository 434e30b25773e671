/**
 * A participant publishes: its scratch becomes the output of its node, or of the run (publish.ts), and then the log says so.
 *
 * What has checks is examined first (check/examine.ts). Content that does not pass is rejected while its worker has attempts left: nothing of it is
 * published, the node continues, and the call says what failed.
 * One publisher is for one tool call. A call that a crash interrupted is repeated, and what the log knows already is not done again.
 */
import { join } from "node:path";
import type { Backend } from "../../backend/backend.ts";
import { accountsOf } from "../../core/agent/budget.ts";
import {
  evidenceFor,
  evidenceOf,
  failureText,
  isReview,
  proofOf,
  rejectionOf,
  resultLine,
  resultsOn,
} from "../../core/board/check.ts";
import { liveBelow } from "../../core/board/sub-node.ts";
import { unmergedOf, unmergedText } from "../../core/file/unmerged.ts";
import { modelOf } from "../../core/lookup.ts";
import type { State } from "../../core/state.ts";
import { worksByFiles } from "../../core/turn/driver.ts";
import type { Redactor } from "../../lib/text/redact.ts";
import { shortLine } from "../../lib/text/text.ts";
import type { World } from "../../lib/world.ts";
import type { Check } from "../../schema/evidence.ts";
import type { Node } from "../../schema/node.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { ToolContext } from "../../toolkit/tool.ts";
import type { Author } from "../check/author.ts";
import { examine } from "../check/examine.ts";
import type { Checkouts } from "../checkout/checkouts.ts";
import type { Result } from "../checkout/result.ts";
import type { Live } from "../live.ts";
import { protocol } from "../program/program.ts";
import { caches } from "./caches.ts";
import type { Edits } from "./edits.ts";
import { type About, type Draft, type Manifest, publishFolder, sha256 } from "./publish.ts";

/** What a command leaves in its folder besides its work: what it was told and said by, and its own dotfiles. */
const traces = { has: (path: string) => protocol.has(path) || path.startsWith(".") };

export interface PublisherOptions {
  /** Who publishes, in which run, as it was when the call began. */
  one: Thinker;
  run: string;
  /** The folder of its node or of the run. */
  root: string;
  live: Live;
  world: World;
  edits: Edits;
  checkouts: Checkouts;
  signal: AbortSignal;
  redact: Redactor;
  author: Author;
  backend(model: string): Backend;
  put(content: string): Promise<string>;
}

/** Nothing is published; the text says why. */
class Rejected extends Error {
  readonly details: string | undefined;
  constructor({ text, details }: { text: string; details?: string }) {
    super(text);
    this.details = details;
  }
}

export function createPublisher(key: string, options: PublisherOptions): ToolContext["publish"] {
  const { one, run, root, live, world, edits, checkouts } = options;
  const { id } = one;
  const { state } = live;

  /** An answer that was given stays as it is; a later one of the same run takes its name and leaves it a number. */
  async function writeAnswer(before: number, summary: string, checks: readonly Check[], on: string): Promise<void> {
    const [answer, kept] = [join(root, "_output.md"), join(root, `_output-${before}.md`)];
    const { files } = world;
    if (before && !(await files.stat(kept)) && (await files.stat(answer))) await files.move(answer, kept);
    await files.write(answer, `${summary}\n${proofText(state(), checks, on)}`);
  }

  function about(node: string | undefined): About {
    const { nodes, accounts, seq, run, agent } = state();
    const held = node ? nodes.get(node) : undefined;
    const inputs = (held?.depends_on ?? []).map((ref) => {
      const source = nodes.get(ref);
      return { ref, sha256: sha256(JSON.stringify(source?.status === "completed" ? source.files : [])) };
    });
    const account = accounts.get(node ? accountsOf(id, node, "").at(-1)! : "run");
    return {
      node: node ?? run!.id,
      worker: id,
      model: modelOf(state(), one) ?? agent?.model ?? null,
      inputs,
      tool_calls: callsOn(one, held),
      cost: account?.spent ?? { usd: 0, tokens: 0 },
      events: [given(one, held) ?? run!.first_seq, seq],
      published_at: new Date(world.clock.now()).toISOString(),
    };
  }

  /** What its checks say of this content, and that it may be published. */
  async function examineDraft(
    draft: Draft,
    {
      checks,
      partial,
      limit,
      on,
      summary,
    }: { checks: readonly Check[]; partial: boolean; limit: string | undefined; on: string; summary: string },
  ): Promise<Pick<Manifest, "evidence" | "checks">> {
    const { node } = one;
    const held = node ? state().nodes.get(node) : undefined;
    const about = {
      task: held?.task ?? state().run!.goal,
      acceptance: held?.acceptance,
      attempt: (held?.rejections ?? 0) + 1,
    };
    const reviews = limit === undefined;
    const { run, may, barred, clear } = options.author;
    if (checks.length) await clear();
    await examine(checks, draft, on, { ...options, ...about, summary, node, author: id, run, may, barred, reviews });
    const results = () => (node ? state().nodes.get(node)?.results : state().run?.results);
    if (node) await attempt(node, on, partial, limit);
    else {
      const bad = [...resultsOn(checks, results(), on).values()].filter(({ outcome }) => outcome !== "passed");
      if (bad.length) throw new Rejected({ text: unfinished, details: bad.map(failureText).join("\n\n") });
    }
    const evidence = node ? evidenceFor(checks, results(), on) : proofOf(state(), checks, on).evidence;
    return { evidence, checks: [...resultsOn(checks, results(), on).values()] };
  }

  async function attempt(node: string, on: string, partial: boolean, limit: string | undefined): Promise<void> {
    const mine = `${key}/attempt`;
    const how = { partial, ...(limit ? { limit: limit as "limit.turns" } : {}) };
    await live.dispatch({ type: "node.attempt", node, on, ...how }, { actor: id, key: mine });
    await world.point?.("publish.judged");
    const now = state().nodes.get(node);
    if (now?.status === "failed") throw new Rejected({ text: `Nothing was published. ${now.reason.message}.` });
    if (state().keys.has(mine)) throw new Rejected(rejectionOf(state(), node));
  }

  return async (summary, partial, limit, given = []) => {
    // A crash hid the result: the node is no longer held, and was published all the same.
    if (state().keys.has(key)) return { published: true, text: "Published before." };
    const { node } = one;
    if (node && state().keys.has(`${key}/attempt`))
      return { published: false, ...rejectionOf(state(), node), outside: "a command" };
    if (!node && one.kind !== "coordinator")
      throw new Problem(
        "wrong_state",
        `${one.name} has no node; there is nothing to publish. What you made for a node goes into its folder: create one for yourself with create_work_node, or share the text with document_write`,
      );
    const held = node ? state().nodes.get(node) : undefined;
    if (node && held?.status !== "running")
      throw new Problem("wrong_state", `${node} is ${held?.status}; only a running node can be published`);
    if (!node && state().run?.status !== "open")
      throw new Problem("wrong_state", `${run} is already ${state().run?.status}; its answer cannot change`);
    await edits.notice(node); // not the other specs: that would cost as much as there are nodes
    const checks = node ? (held?.checks ?? []) : given;
    const before = node ? 0 : state().run!.answers;
    const name = before ? `published-${before + 1}` : "published";
    const except = worksByFiles(state(), one)
      ? { has: (path: string) => caches.has(path) || traces.has(path) }
      : caches;
    const content = await checkouts.result(one, summary);
    const said = checks.some(isReview) ? { summary } : undefined;
    const hashOf = (files: Manifest["files"]) => contentHash(files, content, said);
    const change = content ? { change: content.change } : {};
    let files: Manifest["files"];
    try {
      files = await publishFolder(
        world,
        root,
        name,
        { ...about(node), ...change },
        {
          except,
          content,
          async examine(draft) {
            const on = hashOf(draft.files);
            const proof = await examineDraft(draft, { checks, partial, limit, on, summary });
            // What the coordinator changed itself is part of the run's work.
            if (content && !node) await checkouts.mergeOwn(content, id);
            return proof;
          },
        },
      );
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const [outside] = options.author.sources;
      return { published: false, text: error.message, details: error.details, outside };
    }
    await content?.settle();
    await world.point?.("publish.ready");
    const on = hashOf(files);
    if (node) {
      const how = { partial, ...(limit ? { limit } : {}) };
      await live.dispatch({ type: "node.publish", node, summary, ...how, files, on, ...change }, { actor: id, key });
      const done = state().nodes.get(node);
      const evidence = (done && evidenceOf(done)) ?? "claimed";
      const listed = files.map((file) => file.path).join(", ") || "no files";
      const text = content ? changeText(content, evidence) : `Published ${listed}; ${evidence}.`;
      const below = liveBelow(state(), node);
      const open = below.length
        ? ` Not part of it: ${below.join(", ")}, still under way; cancel what nobody needs.`
        : "";
      return { published: true, text: text + open };
    }
    const merged = await checkouts.handOverByItself(id);
    const unmerged = unmergedText(unmergedOf(state()));
    const became = [merged, unmerged].filter(Boolean).join(" ");
    const answer = became ? `${summary}\n\n${became}` : summary;
    await writeAnswer(before, answer, checks, on);
    const proof = proofOf(state(), checks, on);
    await live.dispatch({ type: "run.finish", summary: answer, checks: [...checks], on }, { actor: id, key });
    const claimed = proof.claimed.length ? ` Only claimed: ${proof.claimed.join(", ")}.` : "";
    return {
      published: true,
      text: `The run is finished; the answer is in _output.md. It is ${proof.evidence}.${claimed}${became ? ` ${became}` : ""}`,
    };
  };
}

/** The content: which files, and what is in them; of a change also what it starts from. Whoever reviews it also reads what its author says of it. */
const contentHash = (files: Manifest["files"], content: Result | undefined, said: { summary: string } | undefined) =>
  sha256(JSON.stringify(content || said ? { ...(content && { base: content.change.base }), ...said, files } : files));

const unfinished =
  "Not finished: the answer did not pass the checks on the whole. Fix it and finish again; or finish without them, and the answer says that it is claimed.";

/** Under the answer: what stands behind it. Nothing if nobody but its author worked on it and nothing was checked. */
function proofText(state: State, checks: readonly Check[], on: string): string {
  if (!checks.length && !state.nodes.size) return "";
  const { evidence, claimed } = proofOf(state, checks, on);
  const results = [...resultsOn(checks, state.run?.results, on).values()].map(resultLine);
  const listed = claimed.map((id) => `- ${id}: ${shortLine(headline(state, id), 200)} (${unproved(state, id)})`);
  return [
    `\n---\nEvidence: ${evidence}\n`,
    ...(results.length ? [`Checks on the whole:\n${results.join("\n")}\n`] : []),
    ...(listed.length ? [`Claimed only:\n${listed.join("\n")}\n`] : []),
  ].join("\n");
}

function unproved({ nodes }: State, id: string): string {
  const { checks = [], results = [] } = nodes.get(id) ?? {};
  const passed = results.filter(({ outcome }) => outcome === "passed").length;
  return checks.length ? `${passed} of ${checks.length} checks passed` : "no checks";
}

const headline = ({ nodes }: State, id: string): string => {
  const node = nodes.get(id);
  return node?.status === "completed" ? node.summary : "";
};

function changeText({ change, leftOut }: Result, evidence: string): string {
  const names = change.files.slice(0, 30).map(({ path, added, removed }) => `${path} (+${added} -${removed})`);
  const more = change.files.length + (change.more_files ?? 0) - names.length;
  const listed = names.join(", ") || "no changes";
  const left = leftOut ? ` Not part of it: ${leftOut}.` : "";
  const where = change.branch ? ` as ${change.branch}` : "";
  return `Published${where}: ${listed}${more ? ` and ${more} more` : ""}; ${evidence}.${left}`;
}

/** Of the turns on this node, or of all if there is none; as far as they are still in the conversation. */
function callsOn(one: Thinker, node: Node | undefined): number {
  const first = node ? one.turns - node.turns + 1 : 1;
  return one.conversation.filter((line) => line.role === "tool" && Number(line.turn.split(".").at(-1)) >= first).length;
}

/** The event that gave it the node, if its conversation still has it. */
function given({ conversation }: Thinker, node: Node | undefined): number | undefined {
  const mail = conversation.flatMap((line) => (line.role === "inbox" ? line.entries : []));
  return node && mail.findLast(({ kind, text }) => kind === "assigned" && text.startsWith(`${node.id}: `))?.seq;
}

import { expect, test } from "vitest";
import type { Changes, NodeChange } from "../../api/changes.ts";
import { start } from "../../core/core.test-help.ts";
import type { Change } from "../../schema/diff.ts";
import { diffOf } from "../diff/diff.test-help.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { draw, wordsOf } from "../draw.test-help.tsx";
import { ChangeOf } from "../graph/drawer-change.tsx";
import { Sidebar } from "../shell/sidebar.tsx";
import { Branches } from "./branches.tsx";
import { Decide } from "./decide.tsx";
import { decisionsOf } from "./decision-words.ts";
import { isThere } from "./line-talk.ts";
import { mergedEvidence } from "./merged-evidence.ts";
import { Runs } from "./runs.tsx";
import { Unmerged } from "./unmerged.tsx";

const change = (added = 31, removed = 4): Change => ({
  ...{ base: "a".repeat(40), commit: "b".repeat(40), branch: "agiraph/shop/n1-retry", added, removed },
  files: [{ path: "src/fetch.ts", status: "modified", binary: false, added, removed }],
});
const nodeOf = (given: Partial<NodeChange>): NodeChange => ({
  ...{ node: "n1-retry", name: "Retry", status: "completed", worker: "alice", change: change(), published: true },
  ...{ merged: null, left_out: [], updated_at: null },
  ...given,
});
const changesOf = (given: Partial<Changes> = {}): Changes => ({
  ...{ run: "r1", runs: ["r1"], integration: null, nodes: [nodeOf({})], unmerged: [], handovers: [] },
  workspace: { kind: "repository", folder: "/home/you/shop", base: "a".repeat(40), branch: "main" },
  ...given,
});

test("each decision says what it does to the repository before it is made", () => {
  const [merge, branch, patch] = decisionsOf("shop", changesOf({ integration: change(148, 7) }));
  expect(merge).toMatchObject({ button: "Merge into main", name: "main" });
  expect(merge!.does).toBe(
    "Merges 1 file, +148 −7 into main on this machine, and into your checkout if it is on that branch. Nothing is pushed, and edits of yours are not overwritten.",
  );
  expect(branch!.does).toContain("main and your checkout stay as they are");
  expect(patch).toMatchObject({ name: "shop.patch" });
  expect([merge, branch, patch].map((one) => one!.why)).toEqual([undefined, undefined, undefined]);
});

test("nothing can be decided while there is nothing to take, and the reason is said", async () => {
  const nothing = changesOf({ nodes: [nodeOf({ change: null })] });
  for (const { why } of decisionsOf("shop", nothing)) expect(why).toContain("Nothing was merged");
  for (const { why } of decisionsOf("shop", nothing, nothing.nodes[0]))
    expect(why).toContain("has changed nothing yet");
  const markup = await draw(<Decide agent="shop" changes={nothing} done={() => undefined} />);
  expect(markup.match(/disabled/g)).toHaveLength(3);
  expect(wordsOf(markup)).toContain("Nothing was merged into the integration branch yet");
});

test("a detached checkout has no branch to merge into until one is named; a folder without git has no branches", () => {
  const detached = changesOf({ integration: change() });
  detached.workspace!.branch = null;
  expect(decisionsOf("shop", detached)[0]).toMatchObject({ button: "Merge into a branch", name: "" });
  detached.workspace!.kind = "folder";
  expect(decisionsOf("shop", detached).map(({ button }) => button)).toEqual(["Copy into the folder", "Save a patch"]);
});

test("a comment whose event arrives before the answer to its request is shown once", () => {
  const world = start();
  world.tell({ type: "message.post", from: "human", to: "alice", text: "Why 5?" });
  const { channel } = world.state;
  expect(isThere(channel, { status: "sending", text: "Why 5?" })).toBe(true);
  expect(isThere(channel, { status: "sending", text: "Why 6?" })).toBe(false);
  expect(isThere(channel, { status: "failed", text: "Why 5?" })).toBe(false);
});

test("every node says what became of its change, and how far it can be trusted", async () => {
  const { state } = start();
  const nodes = [
    nodeOf({ name: "One", merged: "c".repeat(40), evidence: "verified" }),
    nodeOf({ node: "n2-two", name: "Two", evidence: "claimed" }),
    nodeOf({ node: "n3-three", name: "Three", status: "cancelled", published: false }),
    nodeOf({ node: "n5-five", name: "Five", merged: "c".repeat(40), through: "n6-merge-n5-five" }),
    nodeOf({ node: "n4-four", name: "Four", status: "running", published: false, change: null }),
  ];
  const changes = changesOf({ nodes, integration: change() });
  const words = wordsOf(
    await draw(<Branches changes={changes} state={state} chosen="merged" choose={() => undefined} />),
  );
  expect(words).toMatch(/All merged work 2 nodes \+31 −4/);
  expect(words).toMatch(/One A merged \+31 −4 Verified/);
  expect(words).toMatch(/Two A not merged \+31 −4 Claimed/);
  expect(words).toMatch(/Five A merged through n6 \+31 −4/);
  expect(words).toMatch(/Three A kept as it was/);
  expect(words).toMatch(/Four A at work, no change yet/);
});

test("what was published and not merged is named beside all merged work, and nothing if there is none", async () => {
  const drawn = async (unmerged: string[]) => wordsOf(await draw(<Unmerged changes={changesOf({ unmerged })} />));
  expect(await drawn(["n1-retry", "n2-two"])).toBe("Not merged, so not part of it: Retry, n2-two");
  expect(await drawn([])).toBe("");
});

test("the changes of earlier runs can be chosen; with one run there is no choice", async () => {
  const drawn = async (runs: string[]) =>
    wordsOf(await draw(<Runs changes={changesOf({ run: runs.at(-1)!, runs })} choose={() => undefined} />));
  expect(await drawn(["r1"])).toBe("");
  expect(await drawn(["r1", "r2"])).toBe("Current run r2 Earlier run r1");
});

test("merged work is as good as its weakest part, unless checks on the whole say more", () => {
  const merged = "c".repeat(40);
  const nodes = [
    nodeOf({ merged, evidence: "verified" }),
    nodeOf({ merged, evidence: "reviewed" }),
    nodeOf({ evidence: "claimed" }),
  ];
  expect(mergedEvidence(nodes, undefined)).toBe("reviewed");
  expect(mergedEvidence(nodes, "verified")).toBe("verified");
  expect(mergedEvidence(nodes, "claimed")).toBe("reviewed");
  expect(mergedEvidence([nodeOf({ merged })], undefined)).toBe("claimed");
  expect(mergedEvidence([nodeOf({})], undefined)).toBeUndefined();
});

test("the drawer of a node shows what it changed, what became of it, and the way to the diff", async () => {
  const world = start();
  const node = world.node({ name: "Retry", worker: "Alice" });
  const version = "b".repeat(40);
  world.turn("alice", "look");
  world.state.workspaces.set(node, {
    from: "a".repeat(40),
    merging: { node: "n9-other", theirs: version, base: version },
  });
  const drawn = async () => {
    const given = { agent: "shop", state: world.state, node: world.state.nodes.get(node)!, choose: () => undefined };
    return wordsOf(await draw(<ChangeOf {...given} />, { states: [world.state], at: "/agents/shop/graph" }));
  };
  expect(await drawn()).toBe("");
  const kept = { version, files: 2, added: 5, removed: 1, left_out: [], more_left_out: 0, at: world.state.at };
  world.state.workspaces.set(node, { ...world.state.workspaces.get(node)!, kept });
  expect(await drawn()).toMatch(/^Change 2 files \+5 −1 As its worker has it now; not published yet\./);
  expect(await drawn()).toContain("It resolves the conflict of n9-other");
  world.tell({ type: "node.publish", node, summary: "s", files: [], change: change() } as never, "alice");
  expect(await drawn()).toMatch(
    /^Change 1 file \+31 −4 Published, not merged yet\. .*src\/fetch.ts \+31 −4 See the diff$/,
  );
});

test("a diff is drawn with its files, its numbers and what is added and removed in words; only a part of a long one", async () => {
  const diff = diffOf("src/a.ts\n@ 1 1 main\n const a = 1;\n-return a;\n+return a + 1;\n");
  const words = wordsOf(await draw(<DiffView diff={diff} />));
  expect(words).toContain("Files 1 changed src a.ts +1 −1");
  expect(words).toMatch(/Line 1 main .*removed return a ?; .*added return a \+ 1 ?;/);
  const long = diffOf(`long.ts\n@ 1 1\n${"+x\n".repeat(5_000)}`);
  const markup = await draw(<DiffView diff={long} />);
  expect(markup.match(/class="ln/g)!.length).toBeLessThan(120);
});

test("an agent without a folder has no page of changes", async () => {
  const { state } = start();
  const at = `/agents/${state.agent!.id}/talk`;
  expect(wordsOf(await draw(<Sidebar />, { states: [state], at }))).not.toContain("Changes");
  state.agent = { ...state.agent!, folder: "/home/you/shop" };
  expect(wordsOf(await draw(<Sidebar />, { states: [state], at }))).toContain("Timeline Changes Documents Files");
});

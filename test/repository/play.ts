/** A team on a repository: two writers of one file, a conflict, whoever resolves it, and a coordinator that merges. */
import type { Play } from "../../src/runtime/model.test-help.ts";

const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const publish = { tool: "publish", input: { summary: "done" } };
const node = (worker: string) => ({ tool: "create_work_node", input: { task: "change", name: worker, worker } });
const spawn = (name: string) => ({ tool: "spawn_worker", input: { name } });
const merge = (id: string) => ({ calls: [{ tool: "merge", input: { node: id } }] });
const resolve = { calls: [write("b/c.txt", "both\n"), publish] };

export const conflict: Play = {
  coordinator: [
    { calls: [spawn("Ann"), spawn("Bob"), node("Ann"), node("Bob")] },
    { calls: [{ tool: "wait_for_nodes", input: {} }] },
    merge("n1"),
    merge("n2"),
    { calls: [{ tool: "wait_for_nodes", input: { node_ids: ["n3"] } }] },
    merge("n3"),
    { calls: [{ tool: "finish", input: { summary: "merged" } }] },
  ],
  ann: [{ calls: [write("b/c.txt", "ann\n")] }, { calls: [write("ann.txt", "1\n"), publish] }, resolve],
  bob: [{ calls: [write("b/c.txt", "bob\n")] }, { calls: [write("bob.txt", "2\n"), publish] }, resolve],
};

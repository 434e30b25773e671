/** What is beside the log must agree with it: published files with their hashes, and the derived index. */
import { createHash } from "node:crypto";
import type { State } from "../src/core/state.ts";
import type { Index } from "../src/search/search.ts";
import type { SimDisk } from "./disk.ts";
import { home } from "./host.ts";
import type { Watch } from "./model.ts";

type Lines = readonly { type: string; run?: string; data: Record<string, unknown> }[];

/** I12: what the log says was published is there, byte for byte. */
export function checkPublished(disk: SimDisk, agent: string, lines: Lines, watch: Watch): void {
  for (const { type, run, data } of lines) {
    if (type !== "node.completed") continue;
    for (const { path, sha256 } of data.files as { path: string; sha256: string }[]) {
      const file = `${home}/agents/${agent}/runs/${run}/nodes/${data.node}/published/${path}`;
      const content = disk.peek(file);
      const hash = content && createHash("sha256").update(content).digest("hex");
      if (hash !== sha256) watch.violated("I12", `${file} ${content ? "has changed" : "is missing"}`);
    }
  }
}

/** I12: what readers find of a node is whole at every moment. The manifest is written last. */
export function checkWhole(disk: SimDisk, state: State, watch: Watch): void {
  const version = `${disk.changes} ${state.seq}`;
  if (whole.get(state) === version) return;
  whole.set(state, version);
  for (const { id } of state.nodes.values()) {
    const folder = `${home}/agents/${state.agent?.id}/runs/${state.run?.id}/nodes/${id}/published`;
    const names = disk.names(folder);
    if (names && !names.includes("manifest.json"))
      watch.violated("I12", `${folder} is shown half written: ${names.join(", ") || "empty"}`);
  }
}

/** Names and state at which each agent was found whole. */
const whole = new WeakMap<State, string>();

/** I22: the index answers as the log does. */
export function checkIndex(index: Index, agent: string, log: Lines, written: number, watch: Watch): void {
  const seq = index.position(agent)?.seq ?? 0;
  if (seq < written) watch.violated("I22", `${agent}: the index is at ${seq}, the log was at ${written} long ago`);
  const lines = log.slice(0, seq);
  const posted = lines.filter(
    ({ type, data }) => type === "message.posted" && /\bhello\b/.test(String(data.text)),
  ).length;
  const found = index.messages("hello", { agent, limit: 10_000 }).length;
  if (posted !== found) watch.violated("I22", `${agent}: ${posted} messages say hello, the index finds ${found}`);
  const status = new Map<string, string>();
  for (const { type, run, data } of lines) {
    const verb = {
      "node.created": "pending",
      "node.retried": "pending",
      "node.assigned": "assigned",
      "node.started": "running",
      "node.completed": "completed",
      "node.failed": "failed",
      "node.cancelled": "cancelled",
    }[type];
    if (verb) status.set(`${run} ${data.node}`, verb);
  }
  for (const { run, id, status: said } of index.nodes({ agent })) {
    if (status.get(`${run} ${id}`) !== said)
      watch.violated("I22", `${agent}: the index says ${id} is ${said}, the log ${status.get(`${run} ${id}`)}`);
    status.delete(`${run} ${id}`);
  }
  if (status.size) watch.violated("I22", `${agent}: the index misses ${[...status.keys()].join(", ")}`);
}

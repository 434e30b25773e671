/**
 * What is shown as verified is so: by the log, every check that its node was given passed on the very content that was published; by the disk, that
 * content has no flaw that the check would have found.
 */
import { createHash } from "node:crypto";
import type { SimDisk } from "./disk.ts";
import { home } from "./host.ts";
import type { Watch } from "./model.ts";
import { checkCommand, isFlawed } from "./processes.ts";

type Lines = readonly { seq: number; type: string; run?: string; data: Record<string, unknown> }[];
type Given = { run?: string; review?: unknown };
type Files = { path: string; sha256: string }[];

export function checkEvidence(disk: SimDisk | undefined, agent: string, lines: Lines, watch: Watch): void {
  const given = new Map<string, Given[]>();
  const outcomes = new Map<string, string>();
  for (const { seq, type, run, data } of lines) {
    const node = `${run} ${data.node}`;
    if (type === "node.created") given.set(node, (data.checks as Given[] | undefined) ?? []);
    // Another model begins anew.
    if (type === "node.retried")
      for (const key of [...outcomes.keys()]) if (key.startsWith(`${node} `)) outcomes.delete(key);
    if (type === "check.ended") {
      const key = `${node} ${data.on} ${data.check}`;
      if (/passed|failed/.test(outcomes.get(key) ?? ""))
        watch.violated("evidence", `${agent}: check ${data.check} of ${data.node} was done again (event ${seq})`);
      for (const other of [...outcomes.keys()])
        if (other.startsWith(`${node} `) && !other.startsWith(`${node} ${data.on} `)) outcomes.delete(other);
      outcomes.set(key, data.outcome as string);
    }
    if (type !== "node.completed" || data.evidence !== "verified") continue;
    const checks = given.get(node) ?? [];
    const base = (data.change as { base: string } | undefined)?.base;
    // Whoever reviews the content also reads what its author says of it.
    const said = checks.some((check) => check.review !== undefined) ? { summary: data.summary } : undefined;
    const { files } = data;
    const content = base === undefined && !said ? files : { ...(base !== undefined && { base }), ...said, files };
    const on = createHash("sha256").update(JSON.stringify(content)).digest("hex");
    for (const at of checks.keys())
      if (outcomes.get(`${node} ${on} ${at + 1}`) !== "passed")
        watch.violated(
          "evidence",
          `${agent}: ${data.node} is verified, and check ${at + 1} did not pass (event ${seq})`,
        );
    if (!checks.length) watch.violated("evidence", `${agent}: ${data.node} is verified without a check (event ${seq})`);
    if (!disk || !checks.some((check) => check.run === checkCommand)) continue;
    for (const { path } of data.files as Files) {
      const content = disk.peek(`${home}/agents/${agent}/runs/${run}/nodes/${data.node}/published/${path}`);
      if (content && isFlawed(String(content)))
        watch.violated("evidence", `${agent}: ${data.node} is verified, and ${path} has a flaw (event ${seq})`);
    }
  }
}

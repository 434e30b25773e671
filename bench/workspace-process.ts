/** A process of its own for the memory of workspaces: does everything once, and prints the most memory that it had, in MB. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openUser } from "./workspace-user.ts";

const { user, room, paths }: { user: string; room: string; paths: string[] } = JSON.parse(process.argv[2]!);
const workspaces = await openUser(user, room);
const { version: base } = await workspaces.base();
const folder = join(room, "n1");
await workspaces.checkOut("r1.n1", { version: base, branch: "agiraph/bench/n1" }, folder);
for (const path of paths) writeFileSync(join(folder, path), "export const changed = true;\n");
const commit = { message: "Change", author: "bench", at: 0, parents: [base] };
const { version: saved } = await workspaces.keep("r1.n1", folder, commit);
const version = await workspaces.describe(saved, commit);
await workspaces.compare(base, version);
await workspaces.diff(base, version);
await workspaces.patch(base, version);
await workspaces.copyChanged(base, version, join(room, "published"));
await workspaces.restore(version, join(room, "checking"));
const merged = await workspaces.merge({ ours: base, theirs: version, base }, commit);
if (!("version" in merged)) throw new Error("it does not merge");
await workspaces.handOver({ as: "merge", into: "main", base, version: merged.version, commit });
process.stdout.write(String(process.resourceUsage().maxRSS / 1024));

/**
 * What the sandbox adds to a command: `true`, from the call to its exit, through the same door as bash.
 *
 * Bare bubblewrap has the same namespaces and the system's files and nothing else: no filter, no bounds, nobody who watches. No sandbox is what
 * `sandbox: { bash: off }` does. A project is a folder of 10,000 files that the agent was given: it is looked through for sockets and pipes. With the proxy
 * a command could reach hosts by asking, which is the default.
 */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProcesses } from "../src/lib/machine/processes.ts";
import { createProbe } from "../src/lib/machine/remedy.ts";
import type { Sandbox } from "../src/lib/world.ts";
import type { Bench, Figure } from "./figure.ts";
import { inTurns, median, quantile, ratioOf, timed } from "./rounds.ts";

const rounds = 60;
const folders = 100;
const filesEach = 100;

export const sandbox: Bench = {
  name: "sandbox",
  about:
    "A command that does nothing, in the sandbox, against bare bubblewrap with the same namespaces and against no sandbox; all in turns.",
  async run(place) {
    const found = await createProbe()();
    if (typeof found === "string") return [];
    const scratch = place.folder("scratch");
    const project = place.folder("project");
    for (let folder = 0; folder < folders; folder++) {
      mkdirSync(join(project, `${folder}`));
      for (let file = 0; file < filesEach; file++) writeFileSync(join(project, `${folder}`, `${file}`), "");
    }
    const processes = createProcesses();
    let count = 0;
    const ours = (sandbox?: Partial<Sandbox>) => () =>
      timed(async () => {
        const { code } = await processes.run({
          command: ["true"],
          tag: `bench/${++count}`,
          folder: scratch,
          env: { PATH: "/usr/bin:/bin" },
          signal: new AbortController().signal,
          output: 1_000,
          alone: true,
          ...(sandbox && { sandbox: { write: [scratch], read: [], hosts: [], ...sandbox } }),
        });
        if (code !== 0) throw new Error(`it ended with ${code}`);
      });
    const times = await inTurns(Math.ceil(rounds * Math.max(place.size, 0.2)), {
      sandboxed: ours({}),
      project: ours({ projects: [project] }),
      proxied: ours({ admit: async () => null }),
      none: ours(),
      bare: () => timed(() => bare(found.file, scratch)),
    });

    const figure = (name: string, of: number[], against: number[], most: number | null, note = ""): Figure => {
      const { value: ratio, scatter } = ratioOf(of, against);
      const spread = `${note}p25 ${quantile(of, 0.25).toFixed(1)}, p75 ${quantile(of, 0.75).toFixed(1)} ms; ${scatter}`;
      const goal = most === null ? null : `ratio ≤ ${most}`;
      const ok = most === null || ratio <= most;
      return { name, value: median(of), unit: "ms", baseline: median(against), ratio, goal, ok, note: spread };
    };
    return [
      figure("sandbox.bare", times.sandboxed, times.bare, 3, "Against bare bubblewrap. "),
      figure("sandbox.none", times.sandboxed, times.none, null, "Against no sandbox. "),
      figure("sandbox.proxy", times.proxied, times.sandboxed, 2, "With the proxy to the network, against without. "),
      figure("sandbox.project", times.project, times.sandboxed, 2, "With a folder of 10,000 files, against without. "),
    ];
  },
};

function bare(file: string, scratch: string): Promise<void> {
  const system = ["/bin", "/lib", "/lib64"].flatMap((path) => ["--ro-bind-try", path, path]);
  const args = ["--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/usr", "/usr", ...system];
  args.push("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", scratch, scratch, "true");
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`bubblewrap ended with ${code}`))));
  });
}

/** Starts bubblewrap with more than its arguments: the seccomp filter, and as root the user mapping of the sandbox. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { createFilter } from "./filter.ts";
import { mapIds, sandboxUser } from "./sandbox-user.ts";

/** Which of its descriptors is for what. */
const fds = { told: 3, filter: 4, mapped: 5, git: 6 };
const filter = createFilter();

/** Git refuses a repository of another user, and as root the user's folder is another's to a sandbox. */
const gitConfig = "[safe]\n\tdirectory = *\n";

/** Calls back with the pid of the sandbox's first process, as we see it. Its other streams are pipes. */
export function startSandbox(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
  begun: (first: number) => void = () => undefined,
): ChildProcess {
  const user = sandboxUser();
  const own = ["--info-fd", `${fds.told}`, "--seccomp", `${fds.filter}`];
  const dropped = user ? ["--userns-block-fd", `${fds.mapped}`, "--ro-bind-data", `${fds.git}`, "/etc/gitconfig"] : [];
  const child = spawn(file, [...own, ...dropped, ...args], {
    // The working folder is set inside; bubblewrap itself needs none.
    cwd: "/",
    env,
    detached: true,
    stdio: new Array(user ? 7 : 5).fill("pipe"),
    ...user,
  });
  const [told, ...heard] = child.stdio.slice(fds.told) as [Readable, ...Writable[]];
  for (const stream of [told, ...heard]) stream.on("error", () => undefined); // it ended before it read everything
  heard[0]?.end(filter);
  heard[2]?.end(gitConfig);
  let text = "";
  told.on("data", (part) => {
    text += part;
    const [, first] = /"child-pid":\s*(\d+)/.exec(text) ?? [];
    if (!first) return;
    told.removeAllListeners("data").resume();
    try {
      if (user) mapIds(Number(first));
    } catch (error) {
      child.stderr?.push(`as root, the rights of a sandbox could not be set: ${(error as Error).message}\n`);
      for (const pid of [child.pid!, Number(first)]) process.kill(pid, "SIGKILL"); // it waits to be released, and is not told when the other ends
    }
    heard[1]?.end("go");
    begun(Number(first));
  });
  return child;
}

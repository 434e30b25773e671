/** Starts bubblewrap with more than its arguments: the seccomp filter, word of its bridges, and as root the user mapping of the sandbox. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex, Readable, Writable } from "node:stream";
import { createFilter } from "./filter.ts";
import { blockFd, bridgesFd } from "./sandbox.ts";
import { mapIds, sandboxUser } from "./sandbox-user.ts";

/** Which of its descriptors is for what. */
const fds = { told: 3, filter: 4, bridges: bridgesFd, mapped: blockFd, git: 7 };
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
    stdio: new Array(user ? 8 : 6).fill("pipe"),
    ...user,
  });
  const [told, filters, bridges, mapped, git] = child.stdio.slice(fds.told) as [
    Readable,
    Writable,
    Duplex,
    ...Writable[],
  ];
  for (const stream of [told, filters, bridges, mapped, git]) stream?.on("error", () => undefined); // it ended before it read everything
  filters.end(filter);
  git?.end(gitConfig);
  hearBridges(bridges);
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
    mapped?.end("go");
    begun(Number(first));
  });
  return child;
}

/** How long its bridges may take to listen; a command waits no longer for them. */
const bridgesMs = 10_000;

/**
 * Each bridge that listens is answered with a line; one that fails with the end, and so are all when it takes too long. What bridges say later is
 * not looked at, but read: without a reader they would end.
 */
function hearBridges(bridges: Duplex): void {
  let text = "";
  const late = setTimeout(() => bridges.end(), bridgesMs);
  late.unref();
  const hear = (part: Buffer) => {
    const lines = `${text}${part}`.split("\n");
    text = lines.pop()!.slice(-200);
    for (const line of lines) {
      if (/ listening on /.test(line)) bridges.write("\n");
      else if (/\] E |not found/.test(line)) bridges.end();
    }
    if (bridges.writableEnded) bridges.off("data", hear).resume();
  };
  bridges.on("data", hear).once("close", () => clearTimeout(late));
}

/** Whether a sandbox can be started here, tested by starting one; and if not, what exactly would help. */
import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createFilter } from "./filter.ts";
import { type Bubblewrap, sandboxArgs } from "./sandbox.ts";
import { startSandbox } from "./sandbox-start.ts";
import { sandboxUser } from "./sandbox-user.ts";

/** What is known of a machine on which bubblewrap is missing or failed. */
export interface Facts {
  platform: string;
  /** The output of bubblewrap; null if it is not installed. */
  said: string | null;
  /** The value of a kernel setting such as user.max_user_namespaces, if there is one. */
  setting(name: string): string | undefined;
  container: boolean;
  root: boolean;
}

const places = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

const socats = places.map((path) => path.replace(/bwrap$/, "socat"));

/** Which version of bubblewrap can do what, newest first. */
const ages = [
  { disableUserns: true, size: true },
  { disableUserns: false, size: true },
  { disableUserns: false, size: false },
];

/** The bubblewrap that works here, or what would help. A failure is tested again each time: it may have been fixed. */
export function createProbe(
  candidates: readonly string[] = places,
  bridges: readonly string[] = socats,
): (network?: boolean) => Promise<Bubblewrap | string> {
  let works: Promise<Bubblewrap | string> | undefined;
  async function look(): Promise<Bubblewrap | string> {
    const file = candidates.find((path) => existsSync(path));
    if (process.platform !== "linux" || !file) return remedy({ ...here, said: null });
    if (!createFilter()) return `there is no sandbox for the processor ${process.arch} yet`;
    let said = "";
    for (const can of ages) {
      if (can.disableUserns && sandboxUser()) continue;
      const failed = await attempt({ file, ...can });
      if (failed === null) return { file, ...can };
      said = failed;
      if (!/unknown option/i.test(failed)) break;
    }
    return remedy({ ...here, said });
  }
  return async (network = false) => {
    works ??= look();
    const found = await works;
    if (typeof found === "string") works = undefined;
    else if (network && !bridges.some((path) => existsSync(path)))
      return "its network needs socat, which is not installed: apt-get install socat (Debian, Ubuntu), dnf install socat (Fedora), pacman -S socat (Arch), apk add socat (Alpine)";
    return found;
  };
}

/** Null if it worked, else its output. */
function attempt(bubblewrap: Bubblewrap): Promise<string | null> {
  const args = [...sandboxArgs(bubblewrap, { write: [], read: [], hosts: [] }, "/"), "true"];
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = startSandbox(bubblewrap.file, args, {});
    } catch (error) {
      return resolve((error as Error).message); // root of a container that may not act for another user
    }
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    let said = "";
    child.stderr!.on("data", (part) => {
      said += part;
    });
    child.stdin!.on("error", () => undefined).end();
    child.stdout!.resume();
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve(code === 0 ? null : said.trim() || `it ended with ${signal ?? `exit code ${code}`}`);
    });
  });
}

const here: Omit<Facts, "said"> = {
  platform: process.platform,
  setting(name) {
    try {
      return readFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, "utf8").trim();
    } catch {
      return undefined;
    }
  },
  container: existsSync("/.dockerenv") || existsSync("/run/.containerenv"),
  root: process.getuid?.() === 0,
};

export function remedy({ platform, said, setting, container, root }: Facts): string {
  if (platform !== "linux")
    return `there is no sandbox for ${platform} yet; run Agiraph on Linux (a virtual machine or container will do)`;
  if (said === null)
    return "bubblewrap is not installed; install it: apt-get install bubblewrap socat (Debian, Ubuntu), dnf install bubblewrap socat (Fedora), pacman -S bubblewrap socat (Arch), apk add bubblewrap socat bash (Alpine)";
  const why = `bubblewrap cannot start a sandbox here (${said.split("\n")[0]})`;
  const wrong: [name: string, value: string, right: string][] = [
    ["kernel.apparmor_restrict_unprivileged_userns", "1", "0"],
    ["kernel.unprivileged_userns_clone", "0", "1"],
    ["user.max_user_namespaces", "0", "15000"],
  ];
  const set = wrong.flatMap(([name, value, right]) =>
    setting(name) === value ? [`sudo sysctl -w ${name}=${right}`] : [],
  );
  if (set.length) return `${why}; allow user namespaces: ${set.join(" && ")}`;
  const plain = root ? ", or run Agiraph as a user that is not root" : "";
  if (container)
    return `${why}; this is a container: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined${plain && `${plain} (--user 1000:1000)`}`;
  return `${why}; the system forbids user namespaces: ask whoever runs it to allow them for bubblewrap${plain}`;
}

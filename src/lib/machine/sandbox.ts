/**
 * A sandbox for programs: bubblewrap on Linux (its contract is in world.ts).
 *
 * Covered: files (only what is bound exists), processes (a PID namespace that dies with us), network (none, or our proxy), privileges (no
 * capabilities, no new user namespace, no terminal, never root), system calls (filter.ts), the environment (what the caller gave, without our tag).
 * Not covered: bugs of the kernel, CPU time, and what may be learned from reading the system's own programs.
 * Not here: how it is started (sandbox-start.ts), its user (sandbox-user.ts), its resource limits (crowd.ts), what to do where none can be started
 * (remedy.ts).
 */
import { existsSync, readlinkSync } from "node:fs";
import { release } from "node:os";
import { proxyPort } from "../network/proxy-env.ts";
import type { Sandbox } from "../world.ts";
import { sandboxUser } from "./sandbox-user.ts";

export interface Bubblewrap {
  /** Its absolute path: never what a PATH finds. */
  file: string;
  /** Before 0.8 it cannot forbid nested sandboxes, nor where we map the ids ourselves (sandbox-user.ts). The filter does in any case. */
  disableUserns: boolean;
  /** Before 0.7 it cannot limit a private /tmp, which is memory. */
  size: boolean;
}

/** The files of /etc that programs need; none is secret. */
const settings = [
  "alternatives",
  "bash.bashrc",
  "ca-certificates",
  "crypto-policies",
  "debian_version",
  "fonts",
  "group",
  "inputrc",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "magic",
  "mime.types",
  "nsswitch.conf",
  "os-release",
  "passwd",
  "pki/tls",
  "pki/ca-trust",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
];

/** Files of /proc about the whole machine and its keys, which no program needs. */
const masked = [
  "kcore",
  "key-users",
  "keys",
  "kmsg",
  "kpagecgroup",
  "kpagecount",
  "kpageflags",
  "pagetypeinfo",
  "sched_debug",
  "slabinfo",
  "sysrq-trigger",
  "timer_list",
  "vmallocinfo",
];

const privateBytes = 512 * 1024 * 1024;

/**
 * What else a sandbox is made of: folders of sockets that lead out (proxy.ts, ports.ts), of programs (installed.ts), and masked paths
 * (openings.ts).
 */
export interface Extra {
  programs?: readonly string[];
  proxy?: string | undefined;
  ports?: string | undefined;
  closed?: readonly string[];
}

/** The arguments that start a command in a sandbox. */
export function sandboxArgs(
  bubblewrap: Bubblewrap,
  sandbox: Sandbox,
  folder: string,
  { proxy, ports, programs = [], closed = [] }: Extra = {},
): string[] {
  const args = ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"];
  if (bubblewrap.disableUserns) args.push("--disable-userns");
  // Masks what only root may read in a folder that root gave. The rest has no such files, or is masked.
  if (sandboxUser() && sandbox.projects?.length) args.push("--cap-add", "CAP_DAC_READ_SEARCH");
  args.push("--hostname", "sandbox", "--unsetenv", "AGIRAPH_TAG", "--ro-bind", "/usr", "/usr");
  for (const name of ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]) args.push(...systemFolder(name));
  for (const path of ["/nix/store", "/run/current-system/sw"]) args.push("--ro-bind-try", path, path);
  for (const name of settings) args.push("--ro-bind-try", `/etc/${name}`, `/etc/${name}`);
  // Access there depends on the uid, not on capabilities: as root they would all be writable.
  args.push("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev");
  for (const name of masked) if (existsSync(`/proc/${name}`)) args.push("--ro-bind", "/dev/null", `/proc/${name}`);
  for (const path of ["/tmp", "/dev/shm"])
    args.push(...(bubblewrap.size ? ["--size", String(privateBytes)] : []), "--tmpfs", path);
  // It is memory too, and without a limit.
  args.push("--remount-ro", "/dev");
  for (const path of programs) args.push("--ro-bind", path, path);
  for (const path of readablePaths(sandbox)) args.push("--ro-bind-try", path, path);
  for (const path of closed) args.push("--ro-bind", "/dev/null", path);
  for (const path of sandbox.write) args.push("--bind", path, path);
  if (proxy) args.push("--ro-bind", proxy, "/run/agiraph");
  if (ports) args.push("--ro-bind", ports, "/run/agiraph-ports");
  const bridges = [
    ...(proxy ? [{ port: proxyPort, socket: "/run/agiraph/proxy" }] : []),
    ...(sandbox.ports ?? []).map((port) => ({ port, socket: `/run/agiraph-ports/${port}` })),
  ];
  return [...args, "--remount-ro", "/", "--chdir", folder, "--", "/bin/sh", "-c", begin(bridges), "sh"];
}

export const readablePaths = ({ read, projects = [] }: Sandbox): string[] => [...read, ...projects];

/** Since Linux 5.14 RLIMIT_NPROC counts per user namespace; before, all processes of the user. */
const [major = 0, minor = 0] = release().split(".").map(Number);
const mostProcesses = major > 5 || (major === 5 && minor >= 14) ? 640 : 8192;

/** The descriptor on which bridges say that they listen, and are told that this was heard (sandbox-start.ts). */
export const bridgesFd = 5;
/** The one on which bubblewrap waits for its user mapping, as root; it leaves it open. */
export const blockFd = 6;

/**
 * Runs inside before the command: first choice of the OOM killer, no core files, a file size limit, and a hard limit on processes (not for root),
 * above the number at which all of them are killed (crowd.ts). Lowest priority. The bridges must listen before the command may need them.
 */
const begin = (bridges: readonly Bridge[]): string => `
echo 1000 2>/dev/null >/proc/self/oom_score_adj
ulimit -c 0; ulimit -f 8388608; ulimit -u ${mostProcesses} 2>/dev/null || ulimit -p ${mostProcesses} 2>/dev/null
${bridges.map(bridge).join("\n")}
${bridges.map(() => awaitBridge).join("\n")}
exec ${bridgesFd}<&- ${blockFd}<&-
exec nice -n 10 "$@"`;

interface Bridge {
  port: number;
  socket: string;
}

/**
 * Small pieces are not held back, and a request passes in large ones: otherwise the kernel waits for an acknowledgement that it delays itself, for
 * 40 ms each time.
 */
const bridge = ({ port, socket }: Bridge): string =>
  `socat -d -d -b 65536 TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,nodelay UNIX-CONNECT:${socket} </dev/null >/dev/null 2>&${bridgesFd} &`;

const awaitBridge = `read -r _ <&${bridgesFd} || { echo "the way to the network could not be opened" >&2; exit 125; }`;

/** Today these are links into /usr; they were folders once. */
function systemFolder(path: string): string[] {
  if (!existsSync(path)) return [];
  try {
    return ["--symlink", readlinkSync(path), path];
  } catch {
    return ["--ro-bind", path, path];
  }
}

/**
 * The system calls that a sandbox refuses: a seccomp filter (classic BPF), in the bytes that bubblewrap hands to the kernel.
 *
 * A deny list: calls that no build and no test needs and that have often been a sandbox escape: kernel keys, namespaces and mounts, file handles,
 * io_uring, bpf, perf, userfaultfd, unusual socket families, typing into a terminal. It applies to every process of the sandbox and cannot be
 * removed. Programs for another architecture (32-bit ones) are killed: their calls have other numbers. A debugger may trace processes in its
 * sandbox, but not the sandbox's first process.
 */
import { processors, type Syscall, syscalls } from "./syscalls.ts";

const errno = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 };

/** A condition on the lower half of one argument: refused if any of these bits is set, if it equals this, or if it is not one of these. */
interface When {
  arg: number;
  any?: number;
  is?: number;
  noneOf?: number[];
}

interface Rule {
  calls: Syscall[];
  answer: keyof typeof errno;
  when?: When;
}

/** NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const namespaces = 0x7e020000;
const newTime = 0x80;
const sockets = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
const terminal = { TIOCSTI: 0x5412, TIOCLINUX: 0x541c };

// biome-ignore format: one rule, one line
const rules: Rule[] = [
  { calls: ["keyctl", "add_key", "request_key"], answer: "EPERM" },
  { calls: ["bpf", "perf_event_open", "userfaultfd", "fanotify_init", "lookup_dcookie", "kcmp", "pidfd_getfd"], answer: "EPERM" },
  { calls: ["mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr"], answer: "EPERM" },
  { calls: ["fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "setns", "open_by_handle_at"], answer: "EPERM" },
  { calls: ["init_module", "finit_module", "delete_module", "create_module", "kexec_load", "kexec_file_load"], answer: "EPERM" },
  { calls: ["swapon", "swapoff", "reboot", "acct", "quotactl", "quotactl_fd", "nfsservctl", "vhangup", "syslog"], answer: "EPERM" },
  { calls: ["settimeofday", "clock_settime", "sethostname", "setdomainname", "iopl", "ioperm", "modify_ldt", "uselib"], answer: "EPERM" },
  // Programs that get this error fall back to the old way.
  { calls: ["io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_secret"], answer: "ENOSYS" },
  // Its flags are in memory, where the filter cannot read them.
  { calls: ["clone3"], answer: "ENOSYS" },
  { calls: ["clone"], when: { arg: 0, any: namespaces }, answer: "EPERM" },
  { calls: ["unshare"], when: { arg: 0, any: namespaces | newTime }, answer: "EPERM" },
  { calls: ["ptrace"], when: { arg: 1, is: 1 }, answer: "EPERM" },
  { calls: ["process_vm_readv", "process_vm_writev"], when: { arg: 0, is: 1 }, answer: "EPERM" },
  { calls: ["socket", "socketpair"], when: { arg: 0, noneOf: Object.values(sockets) }, answer: "EAFNOSUPPORT" },
  { calls: ["ioctl"], when: { arg: 1, is: terminal.TIOCSTI }, answer: "EPERM" },
  { calls: ["ioctl"], when: { arg: 1, is: terminal.TIOCLINUX }, answer: "EPERM" },
];

/** Null for an architecture whose call numbers are unknown: then there is no sandbox. */
export function createFilter(processor: string = process.arch): Buffer | null {
  const known = processors[processor];
  if (!known) return null;
  const { arch, column } = known;
  const program = [
    load(at.arch),
    jump(test.equal, arch, 1, 0),
    answer(actions.kill),
    load(at.number),
    // x32: the same architecture, other numbers.
    ...(column === 0 ? [jump(test.atLeast, 0x40000000, 0, 1), answer(actions.refuse | errno.ENOSYS)] : []),
  ];
  for (const { calls, answer: name, when } of rules) {
    const refuse = answer(actions.refuse | errno[name]);
    for (const call of calls) {
      const number = syscalls[call][column];
      if (number === null) continue;
      // The call number is loaded again, whichever branch was taken.
      const body = when ? [...look(when), refuse, load(at.number)] : [refuse];
      program.push(jump(test.equal, number, 0, body.length), ...body);
    }
  }
  return Buffer.concat([...program, answer(actions.allow)]);
}

/** Continues with the next instruction if the call is refused, else with the one after. */
function look({ arg, any, is, noneOf = [] }: When): Buffer[] {
  const word = load(at.args + arg * 8);
  if (any !== undefined) return [word, jump(test.anyBit, any, 0, 1)];
  if (is !== undefined) return [word, jump(test.equal, is, 0, 1)];
  return [word, ...noneOf.map((value, index) => jump(test.equal, value, noneOf.length - index, 0))];
}

/** Offsets in struct seccomp_data. */
const at = { number: 0, arch: 4, args: 16 };
/** Codes of classic BPF, of linux/filter.h. */
const test = { equal: 0x15, atLeast: 0x35, anyBit: 0x45 };
const actions = { kill: 0x80000000, refuse: 0x00050000, allow: 0x7fff0000 };

const load = (offset: number): Buffer => instruction(0x20, 0, 0, offset);
const answer = (value: number): Buffer => instruction(0x06, 0, 0, value);
/** How many instructions are skipped if it is so, and if not. */
const jump = (code: number, value: number, yes: number, no: number): Buffer => instruction(code, yes, no, value);

/** struct sock_filter; all known architectures are little-endian. */
function instruction(code: number, yes: number, no: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}

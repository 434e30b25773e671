/**
 * Ways out of the sandbox that a command tries. A new hole is one line: what holds, the command, and what it says if it got somewhere.
 *
 * The command finds in $PROJECT the folder that the agent was given, in $BESIDE a folder next to it, in $AGENTS the home, in $PORT a server on this
 * machine, in $ABSTRACT one without a file, in $PID the process that started it, in $USERS a command of its user's. Servers answer "reached"; all
 * secrets begin with SECRET.
 */
import { type Syscall, syscalls } from "../../src/lib/machine/syscalls.ts";

export type Hole = [what: string, command: string, broken: RegExp, tries?: number];

const column = process.arch === "x64" ? 0 : 1;
const connect = (path: string): string =>
  `perl -MSocket -e 'alarm 5; socket($s, AF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un("${path}")) or die "$!"; print <$s>'`;
const write = (path: string): string => `(echo x >> ${path}) 2>/dev/null && echo wrote`;
const open = (path: string): string => `cat ${path} 2>/dev/null`;

/** What no program needs, each with arguments with which it would do something. */
const calls: [Syscall, ...(string | number)[]][] = [
  ["add_key", '"user"', '"agiraph"', '"x"', 1, -3],
  ["request_key", '"user"', '"agiraph-attack"', 0, 0],
  ["keyctl", 0, -3, 1],
  ["bpf", 0, 'pack("LLLLx112", 1, 4, 4, 1)', 128],
  ["perf_event_open", 'pack("LLQx112", 1, 128, 0)', 0, -1, -1, 0],
  ["userfaultfd", 1],
  ["io_uring_setup", 4, '"\\0" x 120'],
  ["mount", '"none"', '"/tmp"', '"tmpfs"', 0, 0],
  ["umount2", '"/proc/sys"', 2],
  ["pivot_root", '"."', '"."'],
  ["chroot", '"."'],
  ["fsopen", '"tmpfs"', 0],
  ["open_tree", -100, '"/"', 1],
  ["mount_setattr", -100, '"/usr"', 0, '"\\0" x 32', 32],
  ["setns", 0, 0],
  ["unshare", 0x10000000],
  ["unshare", 0x20000],
  ["open_by_handle_at", -100, '"\\0" x 136', 0],
  ["kexec_load", 0, 0, 0, 0],
  ["init_module", '""', 0, '""'],
  ["finit_module", 0, '""', 0],
  ["delete_module", '"none"', 0],
  ["swapon", '"none"', 0],
  ["syslog", 3, '"\\0" x 100', 100],
  ["acct", '"acct"'],
  ["sethostname", '"x"', 1],
  ["clock_settime", 0, 'pack("qq", 0, 0)'],
  ["settimeofday", 'pack("qq", 0, 0)', 0],
  ["kcmp", "$$", 1, 0, 0, 0],
  ["process_vm_readv", 1, 0, 0, 0, 0, 0],
  ["ptrace", 16, 1, 0, 0],
  ["ptrace", 0x4206, 1, 0, 0],
  ["socket", 17, 3, 0],
  ["socket", 38, 5, 0],
  ["socket", 40, 1, 0],
  ["socket", 44, 3, 0],
  ["socket", 31, 3, 0],
  ["memfd_secret", 0],
  ["fanotify_init", 0, 0],
  ["quotactl", 0, 0, 0, 0],
  ["modify_ldt", 0, '"\\0" x 64', 64],
];

// biome-ignore format: one hole, one line
export const holes: Hole[] = [
  ["B1 no setting of the kernel can be changed", 'find /proc/sys /sys -type f -writable 2>/dev/null | while read -r file; do (: >>"$file") 2>/dev/null && echo "open $file"; done | head', /open/],
  ["B1 programs for crashes cannot be chosen", write("/proc/sys/kernel/core_pattern"), /wrote/],
  ["B1 there is no /sys", "ls -A /sys", /\w+\n\[exit code 0/],
  ["B15 a socket in the folder is closed", connect("$ENV{PROJECT}/app.sock"), /reached/],
  ["B15 a socket deep in the folder is closed", connect("$ENV{PROJECT}/a/b/c/d/db.sock"), /reached/],
  ["B15 a socket in a hidden folder is closed", connect("$ENV{PROJECT}/.git/agent.sock"), /reached/],
  ["B15 a pipe in the folder is closed", "timeout 2 sh -c 'echo SECRET > $PROJECT/pipe' && echo wrote; [ -p $PROJECT/pipe ] && echo open; [ -S $PROJECT/app.sock ] && echo open", /wrote|open/],
  ["B15 whole files of the folder are still there", `cat $PROJECT/a.txt || echo broken`, /broken/],
  ["B19 the keys of the session cannot be read", "cat /proc/keys /proc/key-users", /keyring|\d+\/\d+/],
  ["it is never root", "grep -E '^(Uid|Gid):' /proc/self/status", /^[UG]id:.*\t0\b/m],
  ["it has no new privileges and a filter", "grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status", /:\t0/],
  ["a first process that is told to stop goes on", "kill -9 1; kill -STOP 1; sleep 0.1; kill -0 1 && grep State /proc/1/status", /stopped/],
  ["the first process holds nothing open", "ls -l /proc/1/fd | grep -v 'socket:\\|pipe:\\|eventfd\\|/dev/null' | grep -- '->'", /->/],
  ["the first process has no secret in its environment", "tr '\\0' '\\n' < /proc/1/environ", /SECRET|KEY|TOKEN/],
  ["no program of the user's is seen", "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -a SECRE[T]", /SECRET/],
  ["the process that started it is not there", "ls -d /proc/$PID /proc/$PID/environ; kill -0 $PID && echo alive; cat /proc/$PID/environ | tr '\\0' '\\n' | grep -c PATH", /alive|^[1-9]/m],
  ["the folder beside is not there", `${open("$BESIDE/secret")}; ls $BESIDE`, /SECRET|secret/],
  ["a link in the folder leads nowhere", `${open("$PROJECT/link/secret")}; ${open("$PROJECT/../*/secret")}`, /SECRET/],
  ["the folder cannot be written", `${write("$PROJECT/new")}; ${write("$PROJECT/a.txt")}; mv $PROJECT/a.txt $PROJECT/b.txt && echo wrote`, /wrote/],
  ["the folder cannot be opened up", "chmod 777 $PROJECT $PROJECT/a.txt && echo wrote; touch -d 1999-01-01 $PROJECT/a.txt && echo wrote", /wrote/],
  ["the home's token cannot be read", open("$AGENTS/daemon.json $AGENTS/lock $AGENTS/config.yaml"), /SECRET/],
  ["the log of the agent cannot be read or written", `${open("$AGENTS/agents/a1/events.jsonl")}; ${write("$AGENTS/agents/a1/events.jsonl")}`, /seq|wrote/],
  ["passwords cannot be read", open("/etc/shadow /etc/gshadow /etc/sudoers /etc/ssl/private/*"), /:[*!$]|BEGIN|ALL=/],
  ["homes cannot be read", "ls -A /root /home /mnt /media /srv /opt 2>/dev/null | grep -v : | grep . && echo seen", /seen/],
  ["host keys cannot be read", open("/etc/ssh/* /etc/machine-id /var/lib/dbus/machine-id"), /BEGIN|ssh-|[0-9a-f]{32}/],
  ["/usr cannot be written", `${write("/usr/bin/x")}; ${write("/usr/bin/env")}; ${write("/usr/local/bin/x")}`, /wrote/],
  ["/etc cannot be written", `${write("/etc/x")}; ${write("/etc/passwd")}; ${write("/etc/ld.so.preload")}; mv /etc/passwd /etc/p && echo wrote`, /wrote/],
  ["/ cannot be written", `${write("/x")}; mkdir /y && echo wrote; ${write("/run/x")}; ${write("/var/x")}; ${write("/boot/x")}`, /wrote/],
  ["/dev cannot be written", `${write("/dev/x")}; mknod /dev/sda b 8 0 && echo wrote`, /wrote/],
  ["devices cannot be made", "mknod sda b 8 0 && echo wrote; mknod null c 1 3 && echo wrote; mknod /tmp/mem c 1 1 && echo wrote", /wrote/],
  ["no device of the machine is there", "ls /dev/mem /dev/kmsg /dev/sda /dev/vda /dev/kvm /dev/fuse /dev/net/tun /dev/vsock /dev/uinput", /^\/dev/m],
  ["there is no sleeping root", "su -c id; sudo -n id; pkexec id; find / -xdev -perm -4000 -type f 2>/dev/null | head -3 | while read -r f; do $f -h 2>/dev/null | head -1 | grep uid=0; done", /uid=0/],
  ["a file that acts for its owner does not", "cp /usr/bin/id . && chmod 6755 id && ./id", /euid|uid=0/],
  ["a user namespace cannot be made", "unshare -U true && echo made; unshare -Ur true && echo made; unshare -Urm true && echo made", /made/],
  ["no namespace can be made", "for n in m u i n p C T; do unshare -$n true && echo made; done", /made/],
  ["a sandbox in the sandbox cannot be made", "bwrap --ro-bind / / true && echo made; bwrap --unshare-user --ro-bind / / true && echo made", /made/],
  ["namespaces cannot be entered", "nsenter -t 1 -m true && echo made; nsenter -t 1 -U true && echo made; nsenter -t 1 -n true && echo made", /made/],
  ["nothing can be mounted", "mount -t tmpfs x /tmp && echo made; mount --bind / /tmp && echo made; mount -o remount,rw /usr && echo made; umount -l /proc/sys && echo made", /made/],
  ["the root cannot be changed", "mkdir r; chroot r true && echo made; chroot / true && echo made", /made/],
  ["files outside cannot be linked in", "ln $PROJECT/a.txt hard && echo made; ln /etc/passwd hard && echo made", /made/],
  ["a terminal cannot be typed into", "perl -e 'ioctl(STDIN, 0x5412, \"x\") and print q(typed); open(T, q(</dev/tty)) and ioctl(T, 0x5412, q(x)) and print q(typed)'", /typed/],
  ["it cannot put itself before others", "renice -n -5 $$ && echo made; chrt -f 50 true && echo made; echo -500 > /proc/self/oom_score_adj && echo made; nice -n -5 sh -c 'nice' | grep -- -", /made|^-/m],
  ["bounds cannot be lifted", "ulimit -c unlimited && echo made; ulimit -f unlimited && echo made; ulimit -u 100000 && echo made", /made/],
  ["a server on this machine is not reached", "perl -MSocket -e 'alarm 5; socket($s, AF_INET, SOCK_STREAM, 0); connect($s, sockaddr_in($ENV{PORT}, inet_aton(q(127.0.0.1)))) or die $!; print <$s>'; timeout 2 bash -c 'cat < /dev/tcp/127.0.0.1/$PORT'", /reached/],
  ["a server without a file is not reached", "perl -MSocket -e 'alarm 5; socket($s, AF_UNIX, SOCK_STREAM, 0); connect($s, pack(q(S a*), AF_UNIX, qq(\\0$ENV{ABSTRACT}))) or die $!; print <$s>'", /reached/],
  ["the cloud's metadata are not reached", "timeout 2 bash -c 'echo > /dev/tcp/169.254.169.254/80' && echo reached", /reached/],
  ["the network is not reached", "timeout 2 bash -c 'echo > /dev/tcp/1.1.1.1/80' && echo reached; timeout 2 bash -c 'echo > /dev/udp/1.1.1.1/53' && echo reached; getent hosts example.com && echo reached", /reached/],
  ["sockets of the system are not there", "ls /run/docker.sock /var/run/docker.sock /run/dbus/system_bus_socket /run/systemd/private /run/user /tmp/.X11-unix /run/agiraph", /^\//m],
  ["no socket and no pipe is anywhere", "find / -xdev \\( -type s -o -type p \\) -not -path '/proc/*' 2>/dev/null | head -3", /^\//m],
  ["what another command left in /tmp is gone", "cat /tmp/found", /left/],
  ["the kernel's memory and log cannot be read", "dmesg && echo made; head -c 1 /proc/kcore | wc -c | grep 1; head -c 1 /proc/kmsg | wc -c | grep 1; head -c 1 /dev/mem", /made|^1/m],
  ["sysrq cannot be asked", "echo h > /proc/sysrq-trigger && dmesg | grep -i sysrq && echo made", /made/],
  ["the kernel's symbols are hidden", "grep -vc '^0000000000000000' /proc/kallsyms", /^[1-9]/],
  ["the first process cannot be written into", "(echo x | dd of=/proc/1/mem bs=1 seek=4194304 conv=notrunc) 2>/dev/null && echo wrote; head -c 1 /proc/1/mem >/dev/null 2>&1 && echo wrote", /wrote/],
  ["no descriptor of the first process can be taken", `perl -e '$p = syscall(434, 1, 0); for (0..20) { $f = syscall(438, $p, $_, 0); print "taken ", readlink("/proc/self/fd/$f"), "\n" if $f >= 0 }' | grep -v 'pipe:\\|socket:\\|eventfd\\|/dev/null'`, /taken/],
  ["the way of the first process leads nowhere else", "ls /proc/1/root/root /proc/1/cwd/../../../../home /proc/self/task/*/root/root 2>/dev/null | grep -v : | grep . && echo seen; cat /proc/1/root/$AGENTS/daemon.json", /seen|SECRET/],
  ["a script with an interpreter outside is not started", "printf '#!%s/secret\\n' $BESIDE > s; chmod +x s; ./s; printf '#!/bin/sh\\ncat /proc/1/root%s/secret' $BESIDE > t; sh t", /SECRET/],
  ["a library that is put first gains nothing", "LD_PRELOAD=$BESIDE/secret cat $BESIDE/secret; LD_LIBRARY_PATH=$BESIDE id -u | grep -x 0", /SECRET of|^0$/m],
  ["mounts tell no path of the machine but what it may see", "cat /proc/self/mountinfo | grep -o 'SECRE[T][^ ]*'", /SECRET/],
  ["groups and users cannot be mapped", "echo 0 0 1 > /proc/self/uid_map && echo made; echo 0 0 1 > /proc/self/gid_map && echo made; echo allow > /proc/self/setgroups && echo made", /made/],
  ["control groups cannot be changed", "find / -name cgroup.procs -not -path '/proc/*' 2>/dev/null | head -1; ls /sys/fs/cgroup/cgroup.controllers", /^\/.*cgroup/m],
  ["a program of 32 bits cannot go another way", `perl -e '$r = syscall(0x40000000 + 39); print $r < 0 ? "refused" : "done"'`, process.arch === "x64" ? /done/ : /never/],
  ["calls that no program needs are refused", `perl -e '${calls.map(perl).join(" ")} print "all tried"'`, /done|^(?![\s\S]*all tried)/, calls.length],
];

/** Perl can make any system call. */
function perl([name, ...args]: (typeof calls)[number]): string {
  const number = syscalls[name][column] ?? 9999;
  return `@a = (${args.join(", ")}); print syscall(${number}, @a) < 0 ? "refused" : "done ${name} ${args.length}", "\\n";`;
}

/** If these do not work, the others show nothing. */
export const controls: Hole[] = [
  [
    "Perl makes system calls",
    `perl -e 'print syscall(${column ? 172 : 39}) > 0 ? "" : "broken"' || echo broken`,
    /broken/,
  ],
  ["the folder is read", "grep -q plain $PROJECT/a.txt || echo broken", /broken/],
  ["scratch is written", "echo x > y && rm y || echo broken", /broken/],
];

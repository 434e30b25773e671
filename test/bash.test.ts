/** bash as a participant has it, with real programs in a real sandbox. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { machine } from "../src/lib/machine/index.ts";
import { createProcesses } from "../src/lib/machine/processes.ts";
import type { World } from "../src/lib/world.ts";
import { bash, type Call, type DeskOptions, newHome, removeHome, told } from "./desk.ts";

const homes: string[] = [];
afterAll(async () => {
  for (const home of homes) await removeHome(home);
});

async function ran(calls: (string | Call)[], options: DeskOptions = {}) {
  const done = await told(
    calls.map((one) => (typeof one === "string" ? bash(one) : one)),
    options,
  );
  homes.push(done.home);
  return { ...done, texts: done.results.map((one) => one.result) };
}

const missing = await machine.processes.sandbox();
if (missing) console.warn(`the tests of the sandbox are left out: ${missing}`);

describe.skipIf(missing)("in the sandbox", () => {
  test("what bash writes is what the file tools read and what is published", async () => {
    const { texts, run } = await ran([
      "mkdir -p out && echo 'grüße, 世界 🌍' > out/hello.txt && pwd && ls -d . && echo $HOME",
      { tool: "read_file", input: { path: "out/hello.txt" } },
      { tool: "write_file", input: { path: "in.txt", content: "from the tool" } },
      "cat in.txt",
      { tool: "finish", input: { summary: "done" } },
    ]);
    expect(texts[0]).toBe(`${run}/scratch\n.\n${run}/scratch\n[exit code 0]`);
    expect(texts[1]).toBe("grüße, 世界 🌍\n");
    expect(texts[3]).toBe("from the tool\n[exit code 0]");
    expect(readFileSync(`${run}/published/out/hello.txt`, "utf8")).toBe("grüße, 世界 🌍\n");
  });

  test("commands change what the file tools wrote, and the file tools what commands wrote", async () => {
    const { texts, scratch } = await ran([
      { tool: "write_file", input: { path: "by/tool.txt", content: "one\n" } },
      "echo two >> by/tool.txt && mkdir -p by/command && echo a > by/command/x && chmod 600 by/command/x && rm -f by/none",
      { tool: "write_file", input: { path: "by/command/y", content: "b\n" } },
      { tool: "write_file", input: { path: "by/command/x", content: "c\n" } },
      "echo d >> by/command/x && echo d >> by/command/y && mv by/command by/moved && cat by/tool.txt by/moved/*",
      { tool: "read_file", input: { path: "by/moved/x" } },
    ]);
    expect(texts[4]).toBe("one\ntwo\nc\nd\nb\nd\n[exit code 0]");
    expect(texts[5]).toBe("c\nd\n");
    for (const path of ["by", "by/tool.txt", "by/moved/x", "by/moved/y"])
      expect(statSync(join(scratch, path)).uid).not.toBe(0); // nothing in a sandbox is root's
  });

  test("exit codes and signals are told, and both streams come in the order in which they were written", async () => {
    const { texts } = await ran([
      "echo one; echo two >&2; echo three; exit 3",
      "kill -9 $$",
      "true",
      "syntax error (",
      "no-such-program",
    ]);
    expect(texts[0]).toBe("one\ntwo\nthree\n[exit code 3]");
    expect(texts[1]).toBe("(no output)\n[exit code 137: ended by signal 9]");
    expect(texts[2]).toBe("(no output)\n[exit code 0]");
    expect(texts[3]).toMatch(/syntax error[\s\S]*\[exit code 2\]$/);
    expect(texts[4]).toMatch(/command not found\n\[exit code 127\]$/);
  });

  test("nothing outside scratch can be written", async () => {
    const mark = `agiraph-private-${process.pid}`;
    const outside = mkdtempSync(join(tmpdir(), "agiraph-outside-"));
    homes.push(outside);
    const { texts, run, home } = await ran([
      `for f in /x /usr/x /etc/x ${outside}/x ../x ../../x ${`~/../x`} /proc/sys/kernel/x; do touch $f && echo "wrote $f"; done; true`,
      "echo no > ../_plan.md; echo no >> ../../../events.jsonl; mkdir ../published; rm -rf .. ; mv ../scratch ../other; true",
      `echo private > /tmp/${mark} && cat /tmp/${mark}`,
      "mkdir a && ln -s / a/root && ln ../_plan.md hard; ls a/root; mount -t tmpfs x a; chroot a true; true",
    ]);
    expect(texts.join()).not.toContain("wrote");
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(run)).toContain("scratch");
    expect(readdirSync(run)).not.toContain("x");
    expect(readFileSync(`${home}/agents/a1/events.jsonl`, "utf8")).not.toMatch(/^no$/m);
    expect(texts[2]).toBe("private\n[exit code 0]");
    expect(existsSync(`/tmp/${mark}`)).toBe(false);
    expect(existsSync(`${run}/scratch/hard`)).toBe(false);
  });

  test("no secret of ours is in its environment, and no other home, root's or the system's secrets can be read", async () => {
    const home = newHome();
    writeFileSync(join(home, "daemon.json"), "the token");
    const other = mkdtempSync(join(tmpdir(), "agiraph-other-"));
    homes.push(other);
    writeFileSync(join(other, "secret"), "secret of another");
    process.env.AGIRAPH_TEST_KEY = "sk-secret";
    try {
      const { texts } = await ran(
        [
          "env | cut -d= -f1 | sort | tr '\\n' ' '",
          `cat ${home}/daemon.json ${home}/agents/a1/events.jsonl ${other}/secret /etc/shadow /root/.bashrc; ls /root /home ${home}/agents/a1`,
          "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c sk-secret; ls /proc | grep -c '^[0-9]'",
          "grep -h Cap /proc/self/status | grep -vc 0000000000000000; unshare -Ur true; echo $?; ls /run/agiraph",
        ],
        { home },
      );
      // PWD, SHLVL and _ are the shell's own.
      expect(texts[0]).toBe(
        "CARGO_HOME GOPATH GRADLE_USER_HOME HOME LANG PATH PIP_DISABLE_PIP_VERSION_CHECK PWD SHLVL TMPDIR XDG_CACHE_HOME _ npm_config_cache npm_config_update_notifier\n[exit code 0]",
      );
      expect(texts[1]).not.toMatch(/token|secret of another|root:|"seq"/);
      expect(texts[1]?.match(/No such file/g)?.length).toBeGreaterThanOrEqual(7);
      expect(texts[2]).toMatch(/^0\n[3-9]\n/);
      expect(texts[3]).toMatch(/^0\n[\s\S]*\n1\n/);
    } finally {
      delete process.env.AGIRAPH_TEST_KEY;
    }
  });

  test("a worker's bash reads its node and what is published, and not what another is working on", async () => {
    const publish = { tool: "publish", input: { summary: "s" } };
    const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
    const { asked } = await ran(
      [
        { tool: "spawn_worker", input: { name: "Ann" } },
        { tool: "spawn_worker", input: { name: "Bea" } },
        { tool: "create_work_node", input: { task: "one", worker: "ann" } },
        { tool: "create_work_node", input: { task: "two", worker: "bea", depends_on: ["n1-one"] } },
        write("draft.md", "unfinished"),
        { tool: "wait_for_nodes", input: {} },
      ],
      {
        until: ({ type, data }) => type === "node.completed" && (data as { node: string }).node === "n2-two",
        play: {
          ann: [{ calls: [write("a.md", "alpha"), publish] }],
          bea: [
            {
              calls: [
                bash("cat ../_spec.md; cat ../../n1-one/published/a.md; echo x > ../../n1-one/published/a.md; true"),
                bash("cat ../../n1-one/scratch/a.md ../../../scratch/draft.md; ls ../../../workers; true"),
              ],
            },
            { calls: [publish] },
          ],
        },
      },
    );
    const bea = asked.filter((one) => one.participant === "bea").at(-1)!;
    const [first, second] = bea.lines.flatMap((line) =>
      line.role === "tool" && line.tool === "bash" ? [line.result] : [],
    );
    expect(first).toMatch(/two[\s\S]*alpha/);
    expect(first).toContain("Read-only file system");
    expect(second?.match(/No such file/g)).toHaveLength(3);
  });

  test("there is no network, not even to this machine", async () => {
    const server = createServer((_request, response) => response.end("inside")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const { texts } = await ran([
      `(echo 'GET / HTTP/1.0'; echo) > /dev/tcp/127.0.0.1/${port}; echo hi > /dev/tcp/1.1.1.1/80; cat /proc/net/route | wc -l; getent hosts example.com; true`,
    ]);
    server.close();
    expect(texts[0]).toContain("Connection refused");
    expect(texts[0]).toContain("unreachable");
    expect(texts[0]).not.toContain("inside");
  });

  test("what it leaves in the background ends with it", async () => {
    const mark = `7${process.pid}7`;
    const { texts } = await ran([
      `sleep ${mark} & (setsid nohup sleep ${mark} >/dev/null 2>&1 &) ; echo started`,
      "ls /proc | grep -c '^[0-9]'",
    ]);
    expect(texts[0]).toBe("started\n[exit code 0]");
    expect(running(`sleep ${mark}`)).toBe(0);
  });

  test("a timeout ends the whole tree and is told", async () => {
    const mark = `8${process.pid}8`;
    const { texts } = await ran([
      bash(`trap '' TERM; echo begun; (setsid sleep ${mark} &); env -i sleep ${mark}`, { timeout: 0.5 }),
      bash("sleep 1", { timeout: 601 }),
    ]);
    expect(texts[0]).toBe("begun\n[timeout: it took longer than 0.5 s and was ended with all that it started]");
    expect(running(`sleep ${mark}`)).toBe(0);
    expect(texts[1]).toContain("600");
  });

  test("what runs in a sandbox ends when the process that started it is killed", async () => {
    const mark = `6${process.pid}6`;
    const script = `
      import { processes } from ${JSON.stringify(new URL("../src/lib/machine/processes.ts", import.meta.url).pathname)};
      const command = ["bash", "-c", "trap '' TERM HUP; echo begun > /tmp/x; (env -i setsid sleep ${mark} &); sleep ${mark}"];
      await processes.run({ command, tag: "t/1", folder: "/tmp", env: { PATH: "/usr/bin:/bin" }, output: 10,
        signal: new AbortController().signal, sandbox: { write: [], read: [], hosts: [] } });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    while (running(`sleep ${mark}`) < 2) await new Promise((resolve) => setImmediate(resolve));
    child.kill("SIGKILL");
    while (running(`sleep ${mark}`) > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test("of a long output the middle is left out", async () => {
    const { texts } = await ran(["echo first; yes 🌍🌍🌍 | head -c 3000000; echo last"]);
    expect(texts[0]!.length).toBeLessThan(10_200);
    expect(texts[0]).toMatch(/^first\n[\s\S]*characters left out[\s\S]*last\n\[exit code 0\]$/);
    expect(texts[0]!.isWellFormed()).toBe(true);
  });

  test("a fork bomb and a glutton are ended, and the machine goes on", async () => {
    const bounds = { processes: 100, bytes: 300 * 2 ** 20 };
    const world: World = { ...machine, processes: createProcesses({ bounds }) };
    const { texts } = await ran([bash(":(){ :|:& };:; sleep 20"), bash("tail /dev/zero"), "echo well"], { world });
    expect(texts[0]).toMatch(/\[ended by force with all that it started: it had more than 100 processes\]$/);
    expect(texts[1]).toMatch(/\[ended by force with all that it started: it used more than 300 MiB of memory\]$/);
    expect(texts[2]).toBe("well\n[exit code 0]");
  });

  const curl = ["curl", "socat"].every((program) => existsSync(`/usr/bin/${program}`));
  test.skipIf(!curl)("with hosts in the config only those are reached, and only where they are public", async () => {
    const server = createServer((request, response) => response.end(`${request.headers.host} ${request.url}`));
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const dialled: string[] = [];
    const outside = {
      resolve: async (host: string) =>
        host.endsWith("rebound.test") ? ["93.184.216.34", "127.0.0.1"] : ["93.184.216.34"],
      dial(address: string, to: number) {
        dialled.push(`${address}:${to}`);
        return connect(port, "127.0.0.1");
      },
      connectMs: 30_000,
    };
    const world: World = { ...machine, processes: createProcesses({ outside }) };
    const get = (url: string) => `curl -sS -m 5 ${url}; echo " [$?]"`;
    const { texts } = await ran(
      [
        [
          "http://allowed.test/a?b=1",
          "http://sub.wild.test/",
          "http://other.test/",
          "http://wild.test/",
          "http://evilwild.test/",
          "http://allowed.test:8080/",
          "http://rebound.test/",
          "-p http://allowed.test:443/tunnel",
          "-p http://other.test:443/",
          "http://127.0.0.1/",
          "--noproxy '*' http://93.184.216.34/",
        ]
          .map(get)
          .join("\n"),
      ],
      { world, sandbox: { network: ["allowed.test", "*.wild.test", "rebound.test"] } },
    );
    await new Promise((resolve) => server.close(resolve));
    const lines = texts[0]!.split("\n");
    expect(lines[0]).toBe("allowed.test /a?b=1 [0]");
    expect(lines[1]).toBe("sub.wild.test / [0]");
    for (const name of ["other.test", "wild.test", "evilwild.test"])
      expect(texts[0]).toContain(
        `${name} may not be reached: it is not among the hosts that commands may reach (allowed.test, *.wild.test, rebound.test)`,
      );
    expect(texts[0]).toContain("port 8080 is not allowed");
    expect(texts[0]).toContain("Failed to connect to 127.0.0.1"); // what is inside is reached directly, and nothing is there
    expect(texts[0]).toContain("rebound.test does not lead to a public address");
    expect(texts[0]).toContain("allowed.test:443 /tunnel [0]");
    expect(texts[0]).toMatch(/tunnel failed, response 403/);
    expect(dialled).toEqual(["93.184.216.34:80", "93.184.216.34:80", "93.184.216.34:443"]);
  });

  test.skipIf(!curl)("a program that is talked with reaches the ports that it was given, and no other", async () => {
    const [given, other] = [await listen(), await listen()];
    const reached = await talked('while read -r port; do curl -sS -m 5 "http://127.0.0.1:$port/x" 2>&1; echo; done', {
      ports: [given],
      input: `${given}\n${other}\n`,
    });
    expect(reached.lines).toEqual([`127.0.0.1:${given} /x`, expect.stringMatching(/Failed to connect/)]);
    expect(reached.exit).toEqual({ code: 0, output: "" });
  });

  test.skipIf(!curl)(
    "its ports and its way out listen before it begins, and it is given no descriptor of ours",
    async () => {
      const ports = [await listen(), await listen()];
      const open = [...ports, 3128]
        .map((port) => `exec 9<>/dev/tcp/127.0.0.1/${port} && echo open; exec 9>&-`)
        .join("; ");
      const { lines } = await talked(`${open}; for fd in /proc/$$/fd/*; do echo "\${fd##*/}"; done`, {
        ports,
        hosts: ["example.com"],
      });
      expect(lines.slice(0, 3)).toEqual(["open", "open", "open"]);
      // The first that is free is the one that bash lists them with. What the tests were started with may be among the high ones.
      expect(lines.slice(3).filter((fd) => Number(fd) < 20)).toEqual(["0", "1", "2", "3"]);
    },
  );

  test.skipIf(!curl)("a large request and its answer pass a port unchanged", async () => {
    const port = await listen(async (request, response) => {
      let size = 0;
      for await (const piece of request) size += piece.length;
      for (const piece of ["a", "b", "c"]) response.write(`${piece} `);
      response.end(`${size}`);
    });
    const { lines } = await talked(
      `head -c 3000000 /dev/zero | curl -sS --data-binary @- http://127.0.0.1:${port}/ 2>&1; echo`,
      { ports: [port] },
    );
    expect(lines).toEqual(["a b c 3000000"]);
  });

  test.skipIf(!curl)("where a port cannot be opened inside, the command is not begun, and it says why", async () => {
    const { lines, exit } = await talked("echo begun", { ports: [3128], hosts: ["example.com"] });
    expect(lines).toEqual([]);
    expect(exit).toEqual({ code: 125, output: "the way to the network could not be opened\n" });
  });
});

async function listen(
  answer: RequestListener = (request, response) => void response.end(`${request.headers.host} ${request.url}`),
): Promise<number> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

let talks = 0;

/** A script of bash as an interactive program in a sandbox, to its end. */
async function talked(script: string, { ports = [] as number[], hosts = [] as string[], input = "" }) {
  const folder = mkdtempSync(join(tmpdir(), "agiraph-ports-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const running = await machine.processes.start({
    command: ["bash", "-c", script],
    tag: `ports-test-${process.pid}-${++talks}`,
    folder,
    env: { PATH: "/usr/bin:/bin" },
    signal: new AbortController().signal,
    output: 1_000,
    sandbox: { write: [folder], read: [], hosts, ports },
  });
  running.write(input);
  running.close();
  let text = "";
  for await (const piece of running.output) text += piece;
  return { lines: text.split("\n").filter(Boolean), exit: await running.exit };
}

test("where no sandbox can be started nothing is run, and it is said what would help", async () => {
  const world: World = { ...machine, processes: createProcesses({ places: ["/no/such/bwrap"] }) };
  const { results, scratch } = await ran(["echo ran > ran"], { world });
  expect(results[0]).toMatchObject({ outcome: "error" });
  expect(results[0]!.result).toContain("Nothing was run");
  if (process.platform === "linux") expect(results[0]!.result).toContain("apt-get install bubblewrap socat");
  expect(results[0]!.result).toContain('sandbox: { bash: "off" } in config.yaml');
  expect(existsSync(`${scratch}/ran`)).toBe(false);
});

test("without a sandbox, if the user chose so, every result says it; background and timeout end all the same", async () => {
  const mark = `9${process.pid}9`;
  process.env.AGIRAPH_TEST_KEY = "sk-secret";
  const { texts } = await ran(
    [
      "env | grep -c sk-secret; sleep 0.1",
      `sleep ${mark} & (setsid sleep ${mark} &); echo started`,
      bash(`sleep ${mark}`, { timeout: 0.3 }),
    ],
    { sandbox: { bash: "off" } },
  );
  delete process.env.AGIRAPH_TEST_KEY;
  const note = "\n[not in a sandbox: sandbox.bash is off in config.yaml]";
  expect(texts).toEqual([
    `0\n[exit code 0]${note}`,
    `started\n[exit code 0]${note}`,
    `(no output)\n[timeout: it took longer than 0.3 s and was ended with all that it started]${note}`,
  ]);
  expect(running(`sleep ${mark}`)).toBe(0);
});

/** How many processes of this machine have this command line. */
function running(command: string): number {
  const all = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  return all.filter((line) => line.trim() === command).length;
}

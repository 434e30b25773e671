/** The life of the daemon, as real processes: one per home, listening before anything else, ending in order, coming back after anything. */
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ensureDaemon } from "../src/main/daemon/ensure.ts";
import { findDaemon } from "../src/main/daemon/find.ts";
import { ask, clearLater, daemonFile, start, upAndReady } from "./daemon.ts";
import { agiraph, createLab, newFolder, put } from "./program.ts";

const lab = await createLab();
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A stranger on a port: answers everything with 200 and remembers what it was sent. */
async function stranger(port = 0): Promise<{ port: number; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.url} ${JSON.stringify(request.headers)}`);
    response.end(JSON.stringify({ status: "ready", version: "9", proof: "yes" }));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as { port: number }).port, heard };
}

describe("one daemon per home", () => {
  test("it listens, says where in a file that only its user can read, and removes the file when it ends", async () => {
    const home = newFolder();
    const daemon = await upAndReady(home);
    const about = daemonFile(home)!;
    expect(daemon.said()).toContain(`listening at http://127.0.0.1:${about.port} (pid ${daemon.child.pid}`);
    expect(Object.keys(about)).toEqual(["pid", "started_at", "host", "port", "token", "version"]);
    expect(about.pid).toBe(daemon.child.pid);
    expect(about.token).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(join(home, "daemon.json")).mode & 0o777).toBe(0o600);
    expect((await ask(home, "GET /status")).body).toMatchObject({ status: "ready", pid: about.pid, home, working: 0 });
    expect((await ask(home, "GET /app")).body).toContain("<title>Agiraph</title>");
    daemon.child.kill("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
    expect(daemonFile(home)).toBeUndefined();
    expect(await findDaemon(home)).toBeNull();
  });

  test("a second one says where the first is and ends well; other commands say that a daemon holds the home", async () => {
    const home = newFolder();
    const daemon = await upAndReady(home);
    const where = `http://127.0.0.1:${daemonFile(home)!.port}`;
    const second = await agiraph(home, "up", "--port", "0");
    expect(second).toEqual({ code: 0, out: `already running at ${where} (pid ${daemon.child.pid})\n`, err: "" });
    const inbox = await agiraph(home, "inbox");
    expect(inbox.code).toBe(3);
    expect(inbox.err).toContain(
      `in use by its daemon at ${where} (pid ${daemon.child.pid}); stop it first: agiraph down`,
    );
  });

  test("of many that start at once, one serves and all are told where", async () => {
    const home = newFolder();
    const all = Array.from({ length: 4 }, () => start(home, ["up", "--port", "0"]));
    const winner = await Promise.any(all.map((one) => one.until("ready in").then(() => one)));
    const losers = all.filter((one) => one !== winner);
    for (const { code, out } of await Promise.all(losers.map((one) => one.ended))) {
      expect(code).toBe(0);
      expect(out).toContain(`already running at http://127.0.0.1:${daemonFile(home)!.port} (pid ${winner.child.pid})`);
    }
  });

  test("a stranger's port is left to the stranger, who learns nothing; the next one is taken and told", async () => {
    const home = newFolder();
    const { port, heard } = await stranger();
    // As if it had been ours in an earlier life, in which this very process had its pid.
    const stale = {
      pid: process.pid,
      started_at: "2020-01-01T00:00:00Z",
      host: "127.0.0.1",
      port,
      token: "t".repeat(64),
      version: "0",
    };
    put(home, { "daemon.json": JSON.stringify(stale) });
    expect((await agiraph(home, "status")).code).toBe(1);
    const daemon = start(home, ["up", "--port", String(port)]);
    await daemon.until("listening at");
    expect(daemon.said()).toMatch(new RegExp(`port ${port} is taken by another program; using \\d+`));
    expect(daemonFile(home)!.port).toBeGreaterThan(port);
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.join()).not.toMatch(/tttt|authorization/);
  });

  test("after kill -9 the next one takes over home, port and file", async () => {
    const home = newFolder();
    const first = await upAndReady(home);
    const { port } = daemonFile(home)!;
    first.child.kill("SIGKILL");
    await first.ended;
    expect(daemonFile(home)?.pid).toBe(first.child.pid);
    const second = start(home, ["up", "--port", String(port)]);
    await second.until("ready in");
    expect(daemonFile(home)).toMatchObject({ pid: second.child.pid, port });
    expect((await ask(home, "GET /health")).body.status).toBe("ready");
  });

  test("a home that others can write in is not served", async () => {
    const home = newFolder();
    chmodSync(home, 0o777);
    const { code, err } = await agiraph(home, "up", "--port", "0");
    expect(code).toBe(1);
    expect(err).toContain(`${home} is writable by other users; run chmod go-w`);
  });
});

describe("recovery", () => {
  test("one agent with a damaged log is named and left alone; the others are back", async () => {
    const home = newFolder({ "config.yaml": lab.config() });
    const before = await upAndReady(home);
    for (const name of ["ann", "bob"]) await ask(home, "POST /agents", { goal: "wait", name, start: false });
    before.child.kill("SIGTERM");
    await before.ended;
    const log = join(home, "agents/ann/events.jsonl");
    writeFileSync(log, readFileSync(log, "utf8").replace('"wait"', '"wiat"'));
    const again = await upAndReady(home);
    expect(again.said()).toContain("loading 2 agents");
    expect(again.said()).toMatch(/ready in \d+ ms; 1 cannot be opened/);
    const { body } = await ask(home, "GET /status");
    expect(body.agents).toEqual({ quarantined: 1, idle: 1 });
    expect(body.faults).toEqual([{ agent: "ann", message: expect.stringContaining("events.jsonl") }]);
    expect((await ask(home, "GET /agents/bob")).body.status).toBe("idle");
    expect((await ask(home, "GET /agents/ann")).body.status).toBe("quarantined");
    expect((await ask(home, "GET /agents/ann/board")).status).toBe(500);
  });

  test("requests that come while MCP servers are waited for are answered, and nobody works before their tools are there", async () => {
    const gate = join(newFolder(), "go");
    const server = newFolder({
      "slow.mjs": `import { existsSync } from "node:fs";
        while (!existsSync(${JSON.stringify(gate)})) await new Promise((go) => setTimeout(go, 20));
        process.exit(1);`,
    });
    const mcp = `mcp:\n  slow:\n    command: ${process.execPath}\n    args: [${join(server, "slow.mjs")}]\n`;
    const home = newFolder({ "config.yaml": lab.config(mcp) });
    lab.play({ tool: "finish", input: { summary: "done" } });
    const daemon = start(home, ["up", "--port", "0"]);
    await daemon.until("listening at");
    const made = await ask(home, "POST /agents", { goal: "finish at once", name: "ann" });
    expect(made.status).toBe(201);
    expect((await ask(home, "GET /health")).body).toMatchObject({ status: "starting", starting: { done: 0 } });
    expect(lab.asked).toEqual([]);
    writeFileSync(gate, "");
    await daemon.until("ready in");
    while ((await ask(home, "GET /agents/ann")).body.status !== "completed")
      await new Promise((go) => setTimeout(go, 20));
    expect(lab.asked.length).toBe(1);
  });

  test("a config that cannot be used is told, and nothing is left behind", async () => {
    const home = newFolder({ "config.yaml": "model: [" });
    const { code, err } = await agiraph(home, "up", "--port", "0");
    expect(code).toBe(1);
    expect(err).toContain("config.yaml");
    expect(daemonFile(home)).toBeUndefined();
  });
});

/** A daemon in which bash runs and does not want to end; and the pid of what it runs. */
async function withStubbornBash(): Promise<{
  home: string;
  daemon: Awaited<ReturnType<typeof upAndReady>>;
  tag: string;
}> {
  const tag = `stub-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const home = newFolder({
    "config.yaml": lab.config("sandbox:\n  bash: off\npolicy:\n  - do: allow\n    tool: bash\n"),
  });
  lab.play({ tool: "bash", input: { command: `trap '' TERM; exec -a ${tag} sleep 60`, timeout: 60 } });
  const daemon = await upAndReady(home);
  expect((await ask(home, "POST /agents", { goal: "run it", name: "ann" })).status).toBe(201);
  while (!(await running(tag))) await new Promise((go) => setTimeout(go, 20));
  return { home, daemon, tag };
}

const running = async (tag: string): Promise<boolean> => {
  const child: ChildProcess = spawn("pgrep", ["-f", `^${tag}`]);
  return (await new Promise((resolve) => child.on("close", resolve))) === 0;
};

describe("the end", () => {
  test("SIGTERM while a tool runs: it ends in order within ten seconds, and nothing of ours survives", async () => {
    const { daemon, home, tag } = await withStubbornBash();
    const began = performance.now();
    daemon.child.kill("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(await running(tag)).toBe(false);
    expect(daemonFile(home)).toBeUndefined();
    expect(readFileSync(join(home, "agents/ann/events.jsonl"), "utf8")).toContain('"log.closed"');
  });

  test("SIGTERM: a request under way is answered, a new one finds nobody", async () => {
    const home = newFolder({ "config.yaml": lab.config() });
    const daemon = await upAndReady(home);
    const { port, token } = daemonFile(home)!;
    const body = JSON.stringify({ goal: "wait", name: "late", start: false });
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": body.length,
    };
    const asked = request({ host: "127.0.0.1", port, path: "/agents", method: "POST", headers });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      asked.on("response", (response) => resolve(response.resume().statusCode)).on("error", reject);
    });
    asked.write(body.slice(0, 5));
    await ask(home, "GET /health"); // so that the first has arrived
    daemon.child.kill("SIGTERM");
    await daemon.until("SIGTERM: ending");
    await expect(ask(home, "GET /health")).rejects.toThrow();
    asked.end(body.slice(5));
    expect(await answered).toBe(201);
    expect((await daemon.ended).code).toBe(0);
    expect(statSync(join(home, "agents/late/events.jsonl")).size).toBeGreaterThan(0);
  });

  test("a second signal ends it at once, and nothing of ours survives", async () => {
    const { daemon, tag } = await withStubbornBash();
    daemon.child.kill("SIGTERM");
    await daemon.until("SIGTERM: ending");
    daemon.child.kill("SIGTERM");
    // In order, it would end with 0.
    expect((await daemon.ended).code).toBe(143);
    expect(await running(tag)).toBe(false);
  });

  test("after kill -9 the next daemon ends what the dead one left running", async () => {
    const { daemon, home, tag } = await withStubbornBash();
    daemon.child.kill("SIGKILL");
    await daemon.ended;
    lab.play();
    await upAndReady(home);
    expect(await running(tag)).toBe(false);
  });
});

describe("in the background", () => {
  test("up -d returns when it answers; status, logs and down speak of it", async () => {
    const home = clearLater(newFolder());
    const up = await agiraph(home, "up", "-d", "--port", "0");
    const { pid, port, token } = daemonFile(home)!;
    expect(up).toEqual({ code: 0, out: `running at http://127.0.0.1:${port} (pid ${pid})\n`, err: "" });
    expect((await agiraph(home, "up", "-d")).out).toContain(`already running at http://127.0.0.1:${port}`);
    const status = await agiraph(home, "status", "--json");
    expect(JSON.parse(status.out)).toMatchObject({ running: true, pid, url: `http://127.0.0.1:${port}`, agents: {} });
    expect((await agiraph(home, "status")).out).toContain(`running at http://127.0.0.1:${port} (pid ${pid})`);
    const logs = await agiraph(home, "logs");
    expect(logs.out).toMatch(/^\S+ listening at [^\n]*\n(\S+ [^\n]*\n)*$/);
    expect(logs.out).not.toContain(token);
    expect(await agiraph(home, "down")).toMatchObject({
      code: 0,
      out: `stopped http://127.0.0.1:${port} (pid ${pid})\n`,
    });
    expect((await agiraph(home, "down")).out).toBe("not running\n");
    const gone = await agiraph(home, "status", "--json");
    expect([gone.code, JSON.parse(gone.out).running]).toEqual([1, false]);
    expect(statSync(join(home, "daemon.log")).mode & 0o777).toBe(0o600);
  });

  test("two who need it at once get the same one", async () => {
    const home = clearLater(newFolder());
    const both = await Promise.all([ensureDaemon(home, { port: 0 }), ensureDaemon(home, { port: 0 })]);
    expect(both[0].pid).toBe(both[1].pid);
    expect(both[0].token).toBe(daemonFile(home)!.token);
    expect((await ensureDaemon(home)).started).toBe(false);
  });

  test("one that cannot start says why, with the last lines of its log", async () => {
    const home = newFolder({ "config.yaml": "model: [" });
    await expect(ensureDaemon(home, { port: 0 })).rejects.toThrow(/did not start \(exit code 1\).*config\.yaml/s);
  });

  test("an idle one of another version is replaced", async () => {
    const home = clearLater(newFolder());
    const first = await ensureDaemon(home, { port: 0 });
    put(home, { "daemon.json": JSON.stringify({ ...daemonFile(home), version: "0.0.1" }) });
    const told: string[] = [];
    const second = await ensureDaemon(home, { port: 0, tell: (line) => told.push(line) });
    expect(second.started).toBe(true);
    expect(second.pid).not.toBe(first.pid);
    expect(told.join()).toContain("the daemon is version 0.0.1");
  });

  test("one of another version that is at work stays, and the person is told", async () => {
    const { home, daemon } = await withStubbornBash();
    put(home, { "daemon.json": JSON.stringify({ ...daemonFile(home), version: "0.0.1" }) });
    const told: string[] = [];
    expect((await ensureDaemon(home, { tell: (line) => told.push(line) })).pid).toBe(daemon.child.pid);
    expect(told.join()).toContain("it is busy and keeps running");
  });

  test("logs -f goes on with what is written, also after the log was put aside", async () => {
    const home = newFolder({ "daemon.log": "one\n" });
    const following = start(home, ["logs", "-f"]);
    await following.until("one\n");
    appendFileSync(join(home, "daemon.log"), "two\nhal");
    await following.until("two\n");
    appendFileSync(join(home, "daemon.log"), "f\n");
    renameSync(join(home, "daemon.log"), join(home, "daemon.log.1"));
    put(home, { "daemon.log": "three\n" });
    await following.until("three\n");
    expect(following.said()).toBe("one\ntwo\nhalf\nthree\n");
    following.child.kill("SIGINT");
    expect((await following.ended).code).toBe(0);
  });

  test("without a command it is started, and what is there and what comes next is shown; the demo plays elsewhere", async () => {
    const home = clearLater(newFolder());
    await ensureDaemon(home, { port: 0 });
    const { code, out } = await agiraph(home);
    expect(code).toBe(0);
    expect(out).toMatch(/agents {3}none yet[\s\S]*nothing needs you[\s\S]*agiraph run "…"[\s\S]*agiraph demo/);
    const demo = await agiraph(home, "demo", "--speed", "100");
    expect(demo.code).toBe(0);
    const [, elsewhere] = /^A daemon holds \S+, so the demo plays in (\S+)\.$/m.exec(demo.out)!;
    closing.push(() => rmSync(elsewhere!, { recursive: true, force: true }));
  });
});

test("a unit names this installation and this home", async () => {
  const home = newFolder();
  const { code, out, err } = await agiraph(home, "up", "--unit");
  expect(code).toBe(0);
  expect(out).toContain(process.execPath);
  expect(out).toContain("bin/agiraph.mjs");
  expect(out).toContain(home);
  expect(err).toMatch(/^To install it: .*\n$/);
});

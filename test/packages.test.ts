/** Real package managers in the sandbox, through its proxy, against registries on loopback. */
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { describe, expect, test } from "vitest";
import { machine } from "../src/lib/machine/index.ts";
import { certificate } from "../src/lib/machine/server.test-help.ts";
import { bash } from "./desk.ts";
import { internet, play, removeHomes } from "./internet.ts";
import { createRegistry } from "./registry.ts";

removeHomes();
const has = (...paths: string[]) => paths.some((path) => existsSync(path));
const missing =
  (await machine.processes.sandbox(true)) ??
  (has("/usr/bin/npm", "/usr/local/bin/npm") ? undefined : "npm is not where a sandbox finds programs");
if (missing) console.warn(`the tests of package managers are left out: ${missing}`);
const pip = has("/usr/lib/python3/dist-packages/pip");

const { key, cert } = certificate("registry.npmjs.org", "pypi.org", "files.pythonhosted.org");

async function serveRegistries(upset?: (request: IncomingMessage, response: ServerResponse) => boolean) {
  const registry = await createRegistry(upset);
  const world = await internet({
    80: createServer(registry.answer),
    443: createTlsServer({ key, cert }, registry.answer),
  });
  return { asked: registry.asked, resolved: world.resolved, world };
}

/** Whom the programs trust is all that is special here. */
const trusting = `echo '${cert}' > ca.pem; export npm_config_cafile=$PWD/ca.pem PIP_CERT=$PWD/ca.pem`;
const npmInstall = (rest = "") =>
  bash(`${trusting}; rm -rf .cache node_modules; npm install greeting ${rest} && node -p 'require("greeting")'`);
const pipInstall = pip
  ? bash(
      `${trusting}; python3 -m pip install --target lib greeting && PYTHONPATH=lib python3 -c 'import greeting; print(greeting.text)'`,
    )
  : bash("echo hello from PyPI");
const npmWorked = /hello from npm\n\[exit code 0\]$/;
const pipWorked = /hello from PyPI\n\[exit code 0\]$/;

describe.skipIf(missing)("package managers", () => {
  test("with the preset packages npm and pip install from their own registries without a question", async () => {
    const { world, resolved } = await serveRegistries();
    const { texts, questions, events } = await play([npmInstall(), pipInstall], {
      internet: world,
      network: ["packages"],
      answer: () => "no",
    });
    expect(texts).toEqual([expect.stringMatching(npmWorked), expect.stringMatching(pipWorked)]);
    expect(questions).toEqual([]);
    const hosts = ["registry.npmjs.org", ...(pip ? ["pypi.org", "files.pythonhosted.org"] : [])];
    expect([...new Set(resolved)]).toEqual(hosts);
    expect(events.flatMap(({ type, data }) => (type === "host.opened" ? [data.host] : []))).toEqual(hosts);
  });

  test("without it they wait for the human; this time is for one command, this run for every registry", async () => {
    const { world, asked } = await serveRegistries();
    const said = ["this time", "this run"];
    const { texts, questions } = await play([npmInstall(), npmInstall(), pipInstall], {
      internet: world,
      answer() {
        asked.push(`asked the human, who says ${said[0]}`);
        return said.shift();
      },
    });
    expect(texts).toEqual([npmWorked, npmWorked, pipWorked].map((worked) => expect.stringMatching(worked)));
    expect(questions.map(({ host }) => [host?.host, host?.subject])).toEqual([
      ["registry.npmjs.org", "packages"],
      ["registry.npmjs.org", "packages"],
    ]);
    expect(questions[0]?.host?.command).toContain("npm install greeting");
    const install = ["registry.npmjs.org /greeting", "registry.npmjs.org /greeting/-/greeting-1.0.0.tgz"];
    expect(asked.filter((one) => /human|greeting$|tgz$/.test(one)).slice(0, 6)).toEqual([
      "asked the human, who says this time",
      ...install,
      "asked the human, who says this run",
      ...install,
    ]);
  });

  test("a registry of one's own is a host like any other: always is written down, and no is told to npm", async () => {
    const { world, asked } = await serveRegistries();
    const kept: string[] = [];
    const from = (host: string) => npmInstall(`--registry http://${host}`);
    const { texts, questions } = await play(
      [from("npm.example.com"), from("npm.example.com"), from("elsewhere.example.net")],
      {
        internet: world,
        answer: ({ data }) => (data.host?.host === "npm.example.com" ? "always" : "no, we have our own"),
        allowAlways: (subject) => void kept.push(subject),
      },
    );
    expect(texts.slice(0, 2)).toEqual([expect.stringMatching(npmWorked), expect.stringMatching(npmWorked)]);
    expect(texts[2]).toMatch(
      /E403[\s\S]*\[exit code 1\]\n\[elsewhere\.example\.net was not reached: the human said no: we have our own\]$/,
    );
    expect(questions.map(({ host }) => host?.subject)).toEqual(["npm.example.com", "elsewhere.example.net"]);
    expect(kept).toEqual(["npm.example.com"]);
    expect(asked.filter((one) => one.startsWith("elsewhere"))).toEqual([]);
  });

  test("a registry that resets connections is noticed at once, and one that never answers ends with the command's time", async () => {
    const resets = new Set<string>();
    const { world } = await serveRegistries((request, response) => {
      const { host } = request.headers;
      if (host === "mute.example.com") return true;
      const what = `${host}${request.url}`;
      if (resets.has(what)) return false;
      resets.add(what);
      // Of the package only half comes, of its description nothing.
      if (what.endsWith(".tgz")) response.writeHead(200, { "content-length": "1000" }).write("half");
      const { socket } = request;
      setImmediate(() => ("encrypted" in socket ? socket.destroy() : socket.resetAndDestroy()));
      return true;
    });
    // npm itself repeats a request without an answer, but not half an answer.
    const twice = (registry: string) => {
      const options = `--fetch-retry-mintimeout 1 --fetch-retry-maxtimeout 1 ${registry}`;
      return npmInstall(`${options} || npm install greeting ${options}`);
    };
    const mute = { ...npmInstall("--registry http://mute.example.com") };
    const { texts } = await play(
      [
        twice(""),
        twice("--registry http://npm.example.com"),
        { ...mute, input: { ...(mute.input as object), timeout: 3 } },
        bash("echo free again"),
      ],
      { internet: world, network: ["packages", "*.example.com"], answer: () => "no" },
    );
    expect(texts.slice(0, 2)).toEqual([expect.stringMatching(npmWorked), expect.stringMatching(npmWorked)]);
    for (const host of ["registry.npmjs.org", "npm.example.com"])
      for (const path of ["/greeting", "/greeting/-/greeting-1.0.0.tgz"]) expect(resets).toContain(host + path);
    expect(texts[2]).toContain("[timeout: it took longer than 3 s and was ended with all that it started]");
    expect(texts[3]).toBe("free again\n[exit code 0]");
  });
});

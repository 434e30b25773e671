/** What somebody else on this machine tries with a browser's session: another port, a stolen cookie, a stream that stays open. Real daemon. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { routes } from "../../src/api/index.ts";
import type { Route } from "../../src/api/route.ts";
import { ask, daemonFile, upAndReady } from "../daemon.ts";
import { newFolder, root } from "../program.ts";
import { openScene, putFiles, withQuestion } from "../web/scene.ts";
import { hasBrowser, openWindow } from "../web/window.ts";
import { attack } from "./attack.ts";

interface Opened {
  url: string;
  token: string;
  home: string;
}

async function letIn(): Promise<Opened> {
  const home = newFolder({ "config.yaml": 'embeddings: "off"\n' });
  await upAndReady(home);
  const url = `http://127.0.0.1:${daemonFile(home)!.port}`;
  return another({ home, url });
}

async function another({ home, url }: Pick<Opened, "home" | "url">): Promise<Opened> {
  const { body: made } = await ask(home, "POST /session/code", {});
  const headers = { "content-type": "application/json", origin: url };
  const opened = await fetch(`${url}/session`, { method: "POST", headers, body: JSON.stringify({ code: made.code }) });
  expect(opened.headers.get("set-cookie")).toBeNull();
  const { token } = (await opened.json()) as { token: string };
  return { home, url, token };
}

const mine = ({ token }: Opened) => ({ authorization: `Bearer ${token}` });

attack("sessions", "B16, B28 no cookie opens anything or shuts anybody out", async ({ held }) => {
  const one = await letIn();
  const name = `agiraph_${new URL(one.url).port}`;
  const cookies = [
    `${name}=${one.token}`,
    `${name}=x; ${name}=${one.token}`,
    `__Host-${name}=${one.token}`,
    "=",
    `${name}=x`,
  ];
  const closed = (Object.values(routes) as Route[]).filter(({ open }) => !open);
  for (const [index, { method, path }] of closed.entries()) {
    const address = one.url + path.replace(/\{\w+\*?\}/g, "x");
    const cookie = cookies[index % cookies.length]!;
    const answer = await fetch(address, { method, headers: { cookie, "sec-fetch-site": "same-origin" } });
    expect([401, 429], `${method} ${path}`).toContain(answer.status);
    expect((await fetch(`${one.url}/agents`, { headers: { ...mine(one), cookie } })).status).toBe(200);
  }
  const said = await (await fetch(`${one.url}/session`, { headers: mine(one) })).text();
  for (const text of [said, readFileSync(`${one.home}/sessions.json`, "utf8")]) expect(text).not.toContain(one.token);
  held(closed.length * 2 + 2);
});

attack("sessions", "B18 a session that ends takes its open streams with it", async ({ held }) => {
  const one = await letIn();
  const ways: [what: string, end: (other: Opened) => Promise<number>][] = [
    [
      "is shut out by another",
      async (other) => {
        const { items } = (await (await fetch(`${one.url}/sessions`, { headers: mine(other) })).json()) as {
          items: { id: string; here: boolean }[];
        };
        const { id } = items.find(({ here }) => here)!;
        return (await fetch(`${one.url}/sessions/${id}`, { method: "DELETE", headers: mine(one) })).status;
      },
    ],
    ["leaves", async (other) => (await fetch(`${one.url}/session`, { method: "DELETE", headers: mine(other) })).status],
  ];
  for (const [what, end] of ways) {
    const other = await another(one);
    const headers = { ...mine(other), accept: "text/event-stream" };
    const events = (await fetch(`${one.url}/events`, { headers })).body!.getReader();
    await events.read();
    const socket = new WebSocket(`${one.url.replace("http", "ws")}/events`).on("error", () => undefined);
    const told = new Promise<string>((resolve) => socket.on("message", (data) => resolve(String(data))));
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    await new Promise((resolve) => socket.on("open", resolve));
    socket.send(JSON.stringify({ type: "auth", token: other.token }));
    socket.send(JSON.stringify({ type: "subscribe" }));
    const own = (await fetch(`${one.url}/events`, { headers: { ...mine(one), accept: "text/event-stream" } })).body!;
    expect(await end(other), what).toBe(204);
    const over = (async () => {
      for (;;) if ((await events.read()).done) return "over";
    })();
    const late = new Promise((resolve) => setTimeout(() => resolve("still open"), 30_000));
    expect(await Promise.race([over, late]), `events of one who ${what}`).toBe("over");
    expect(await Promise.race([closed.then(() => "over"), late]), `a socket of one who ${what}`).toBe("over");
    expect(await told).toContain("the session has ended");
    await own.cancel();
  }
  held(4);
});

describe.skipIf(!hasBrowser)("in a browser", () => {
  attack(
    "sessions",
    "B16 another port gets nothing of a window, which goes on, is reloaded and doubled",
    async ({ held }) => {
      execFileSync(process.execPath, ["scripts/web.ts"], { cwd: root });
      const got: string[] = [];
      const thief = createServer((request, response) => {
        got.push(request.headers.cookie ?? "");
        const tossed = ["/", "/agents", "/session", "/events", "/app"].map((path) => `agiraph_${port}=x; Path=${path}`);
        response.writeHead(200, { "content-type": "text/html", "set-cookie": tossed }).end("<h1>Thief</h1>");
      }).listen(0, "127.0.0.1");
      onTestFinished(() => void thief.close());
      const scene = await openScene();
      await withQuestion(scene, "alpha", "Which colour?", ["Blue"]);
      putFiles(scene, "alpha", { "report.txt": "mine" });
      const { port } = daemonFile(scene.home)!;
      const url = `http://127.0.0.1:${port}`;
      const { page, context, misdeeds } = await openWindow(scene.home, { path: "/app/agents/alpha/talk" });
      const card = page.getByRole("region", { name: "Question from Coordinator" });
      await card.waitFor();
      await page.goto(`http://127.0.0.1:${(thief.address() as AddressInfo).port}/`);
      expect(got[0], "it was given a cookie").toBe("");
      expect(await page.evaluate("JSON.stringify(localStorage)"), "or can read what the page keeps").toBe("{}");
      // Back, with cookies of the thief before ours.
      await page.goto(`${url}/app/agents/alpha/talk`);
      await card.waitFor();
      await page.reload();
      await card.waitFor();
      const second = await context.newPage();
      await second.goto(`${url}/app/agents/alpha/files#report.txt`);
      const coming = second.waitForEvent("download");
      await second.getByRole("link", { name: "Download agent" }).click();
      expect((await coming).suggestedFilename()).toBe("alpha.agiraph");
      expect(misdeeds).toEqual([]);
      held(7);
    },
  );
});

/** T1 to T14 of the threat model as far as they are about HTTP, over the whole table of routes. Not here: bad input (bad-input.test.ts). */
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server.test-help.ts";
import { bodies, raw, type Target, targets } from "../stream/catch-up.test-help.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.ask("POST /agents", { goal: "Be safe", name: "victim" });
});
afterAll(() => server.close());

const host = () => new URL(server.url).host;
const json = { "content-type": "application/json" };
const token = () => ({ authorization: `Bearer ${server.token}` });
const closed = targets.filter(({ route }) => !route.open);
const head = () => server.runtime.read("victim", ({ seq }) => seq);

const ask = ({ name, route, mutates, path }: Target, headers: Record<string, string>) =>
  raw(server.url, {
    method: route.method,
    path: path(),
    headers: { ...(mutates ? json : {}), ...headers },
    ...(mutates ? { body: JSON.stringify(bodies[name] ?? {}) } : {}),
  });

/** What is refused says so in JSON and nothing else, and leaves nothing behind. */
async function expectRefused(some: Target[], headers: Record<string, string>, status: number, code: string) {
  const before = [await head(), server.runtime.agents()];
  for (const target of some) {
    const answer = await ask(target, headers);
    expect([target.title, answer.status]).toEqual([target.title, status]);
    expect(JSON.parse(answer.text).error.code).toBe(code);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  }
  expect([await head(), server.runtime.agents()]).toEqual(before);
}

test("T1 an upgrade with a wrong host, origin or token is no upgrade", async () => {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const wrong: [Record<string, string>, number][] = [
    [{ ...token(), host: "evil.example" }, 403],
    [{ ...token(), origin: "http://evil.example" }, 403],
    [{ ...token(), origin: "null" }, 403],
    [{ origin: server.url, authorization: "Bearer wrong" }, 401],
  ];
  for (const target of targets.filter(({ route }) => route.method === "GET" && !route.open))
    for (const [headers, status] of wrong) {
      const answer = await raw(server.url, { method: "GET", path: target.path(), headers: { ...upgrade, ...headers } });
      expect([target.title, answer.status]).toEqual([
        target.title,
        status === 401 ? expect.toBeOneOf([401, 429]) : status,
      ]);
    }
});

test("T2 a token in the address is none", async () => {
  for (const query of [
    `token=${server.token}`,
    `access_token=${server.token}`,
    `authorization=Bearer%20${server.token}`,
  ])
    expect((await raw(server.url, { method: "GET", path: `/agents?${query}` })).status).toBeOneOf([401, 429]);
});

test("T3 with another host nothing answers, not even what is open, and what there is not", async () => {
  for (const other of [
    "evil.example",
    `evil.example:${new URL(server.url).port}`,
    "127.0.0.1",
    `127.0.0.1.evil.example:${new URL(server.url).port}`,
  ])
    await expectRefused(targets, { ...token(), host: other }, 403, "forbidden");
  for (const start of ["GET /health HTTP/1.0\r\n", "GET /health HTTP/1.1\r\nhost:\r\n"])
    expect(await spoken(`${start}connection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 40[03] /);
  const nothing = await raw(server.url, {
    method: "GET",
    path: "/nothing",
    headers: { ...token(), host: "evil.example" },
  });
  expect(nothing.status).toBe(403);
});

test("T4 the address of everywhere is no host of ours", async () => {
  const { port } = new URL(server.url);
  for (const other of [`0.0.0.0:${port}`, `[::]:${port}`, `192.168.0.1:${port}`])
    await expectRefused(targets, { ...token(), host: other }, 403, "forbidden");
});

test("T5 a page of another origin reaches nothing, and no answer invites it", async () => {
  for (const origin of [
    "http://evil.example",
    "null",
    `http://127.0.0.1:1`,
    `https://evil.${host()}`,
    `http://${host()}.evil.example`,
  ])
    await expectRefused(targets, { ...token(), origin }, 403, "forbidden");
  for (const target of targets) {
    const preflight = await raw(server.url, {
      method: "OPTIONS",
      path: target.path(),
      headers: { origin: server.url, "access-control-request-method": target.route.method },
    });
    expect(preflight.status).toBeGreaterThanOrEqual(400);
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  }
});

test("T5 no route takes what a form could send, and none changes anything by GET", async () => {
  const before = await head();
  for (const { name, title, route, path } of targets.filter(({ reads }) => reads))
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]) {
      const { status, text } = await raw(server.url, {
        method: route.method,
        path: path(),
        headers: { ...token(), ...(type ? { "content-type": type } : {}) },
        body: JSON.stringify(bodies[name] ?? {}),
      });
      expect([title, type, status, JSON.parse(text).error.code]).toEqual([title, type, 400, "invalid"]);
    }
  for (const target of targets.filter(({ mutates }) => !mutates)) await ask(target, token());
  expect(await head()).toBe(before);
  expect(server.runtime.agents()).toEqual(["victim"]);
});

test("T6 without the right token nothing that is not open answers, however it looks", async () => {
  const own = await startTestServer();
  try {
    const wrong = [
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${own.token.slice(0, -1)}`,
      `Bearer ${own.token}x`,
      `Basic ${own.token}`,
      own.token,
      "Bearer undefined",
      "Bearer null",
    ];
    let asked = 0;
    for (const { route, path, title } of closed) {
      const authorization = wrong[asked % wrong.length]!;
      const answer = await raw(own.url, { method: route.method, path: path(), headers: { ...json, authorization } });
      expect([title, authorization, answer.status]).toEqual([title, authorization, asked < 20 ? 401 : 429]);
      expect(answer.text).not.toContain(own.token);
      asked++;
    }
    // The counter is one for all ways in, and nothing that a caller says of itself changes it.
    for (let n = asked; n < 25; n++) await raw(own.url, { method: "GET", path: "/agents" });
    for (const [name, value] of [
      ["x-forwarded-for", "10.0.0.9"],
      ["x-real-ip", "1.2.3.4"],
      ["cookie", `agiraph_${new URL(own.url).port}=x`],
    ] as const)
      expect((await raw(own.url, { method: "GET", path: "/agents", headers: { [name]: value } })).status).toBe(429);
    const guess = await own.ask("POST /session", { code: "guess" }, { authorization: "" });
    expect(guess.body.error.code).toBe("rate_limited");
    expect((await own.ask("GET /agents")).status).toBe(200);
    expect((await own.ask("POST /session", { code: own.gate.code().code }, { authorization: "" })).status).toBe(201);
  } finally {
    await own.close();
  }
});

test("T7 a code opens one window once; its session is in no cookie, and only a page of ours may use it", async () => {
  const { body: made } = await server.ask("POST /session/code", {});
  const opened = await server.ask("POST /session", { code: made.code }, { authorization: "" });
  expect(opened.status).toBe(201);
  expect(opened.headers.get("set-cookie")).toBeNull();
  expect(opened.headers.get("referrer-policy")).toBe("no-referrer");
  expect(opened.headers.get("cache-control")).toBe("no-store");
  const replay = await server.ask("POST /session", { code: made.code }, { authorization: "" });
  expect(replay.status).toBeOneOf([401, 429]);

  const mine = { authorization: `Bearer ${opened.body.token}`, host: host() };
  expect(await ask(find("getAgent"), mine)).toMatchObject({ status: 200 });
  expect(JSON.parse((await ask(find("getSession"), mine)).text)).toEqual({ expires_at: expect.any(String) });
  // A page on another port of this machine is the same site, and the browser says so.
  await expectRefused(closed, { ...mine, "sec-fetch-site": "same-site" }, 403, "forbidden");
  const paused = await ask(find("pauseAgent"), { ...mine, origin: server.url, "sec-fetch-site": "same-origin" });
  expect(paused.status).toBe(200);
  expect((await ask(find("closeSession"), mine)).status).toBe(204);
  expect((await ask(find("getAgent"), mine)).status).toBeOneOf([401, 429]);
  await server.ask("POST /agents/victim/resume");
});

test("T8 a participant's secret opens no control route; one that is forged is nobody's", async () => {
  const authorization = `Bearer ${server.secrets.give("victim", "r1", "coordinator")}`;
  await expectRefused(closed, { authorization }, 403, "forbidden");
  const forged = await ask(find("pauseAgent"), { authorization: `${authorization}x` });
  expect(forged.status).toBeOneOf([401, 429]);
});

test("T9 a session of another protocol is no token", async () => {
  for (const name of ["mcp-session-id", "last-event-id", "x-api-key", "x-agiraph-csrf", "proxy-authorization"])
    expect(
      (await raw(server.url, { method: "GET", path: "/agents", headers: { [name]: server.token } })).status,
    ).toBeOneOf([401, 429]);
});

test("T10 headers and bodies that are too large are refused, and others are answered meanwhile", async () => {
  const large = await raw(server.url, {
    method: "GET",
    path: "/agents",
    headers: { ...token(), x: "x".repeat(20_000) },
  });
  expect(large.status).toBe(431);
  const body = `{"goal":"${"x".repeat(4_000_001)}"}`;
  const flood = raw(server.url, { method: "POST", path: "/agents", headers: { ...token(), ...json }, body });
  expect((await server.ask("GET /health")).status).toBe(200);
  const refused = await flood;
  expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([413, "too_large"]);
});

test("T11 T12 no answer can be taken for a page, framed, or run", async () => {
  for (const target of targets) {
    const { headers } = await ask(target, { authorization: target.mutates ? "" : token().authorization });
    expect([target.title, headers["x-content-type-options"], headers["x-frame-options"]]).toEqual([
      target.title,
      "nosniff",
      "DENY",
    ]);
    expect(headers["content-security-policy"]).toMatch(/default-src 'none'/);
    expect(headers["referrer-policy"]).toBe("no-referrer");
    if (/html|svg|xml/.test(headers["content-type"] ?? ""))
      expect(headers["content-security-policy"]).not.toMatch(/(script|object)-src(?! 'self'(;|$))/);
  }
  const wrong = await raw(server.url, { method: "GET", path: "/agents", headers: { host: "evil.example" } });
  expect(wrong.headers["x-content-type-options"]).toBe("nosniff");
});

test("T14 any text that is sent is one message, byte for byte", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 50 }),
    fc.constantFrom("\r\n\r\ndata: x\n\n", "\u001b]52;c;aGk=\u0007", "\u2028\u2029\0", "__proto__", '{"a":1}\n{"b":2}'),
  );
  await fc.assert(
    fc.asyncProperty(text, async (message) => {
      const { status, body } = await server.ask("POST /agents/victim/send", { message, to: "coordinator" });
      expect(status).toBe(202);
      const [event] = (await server.runtime.follow("victim", body.seq - 1).next()).value ?? [];
      expect(event?.data).toMatchObject({ message: body.id, text: message });
    }),
    { numRuns: 30 },
  );
  expect(server.faults).toEqual([]);
});

const find = (name: string): Target => targets.find((target) => target.name === name)!;

/** What comes back when exactly this is said. */
const spoken = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let heard = "";
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () => socket.write(text));
    socket.on("data", (part) => {
      heard += part;
    });
    socket.on("error", reject).on("close", () => resolve(heard));
  });

/** Every route with everything that is wrong: a clear error with a code, never a stack, never a fault of ours, and nothing happens. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { statusOf, WireError } from "../api/errors.ts";
import { bodyLimits, openBytes } from "./limits.ts";
import { startTestServer, type TestServer } from "./server.test-help.ts";
import { bodies, type RawAnswer, raw, type Target, targets } from "./stream/catch-up.test-help.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  for (const name of ["victim", "other"]) await server.ask("POST /agents", { goal: "Be safe", name });
});
afterAll(() => server.close());

const json = { "content-type": "application/json" };
const ask = (
  { route, path }: Target,
  {
    params = {},
    query = "",
    body,
    headers = {},
  }: Partial<Record<"params" | "headers", Record<string, string>>> & { query?: string; body?: string | Buffer },
): Promise<RawAnswer> =>
  raw(server.url, {
    method: route.method,
    path: path(params) + query,
    headers: { authorization: `Bearer ${server.token}`, ...(body === undefined ? {} : json), ...headers },
    ...(body === undefined ? {} : { body }),
  });

function expectClear(title: string, { status, text }: RawAnswer, only?: readonly number[]) {
  expect([title, status]).toEqual([
    title,
    only ? expect.toBeOneOf([...only]) : expect.toSatisfy((s: number) => s >= 400 && s < 500),
  ]);
  const { error } = WireError.parse(JSON.parse(text));
  expect(error.code === "internal" ? 500 : statusOf[error.code]).toBe(status);
  expect(error.message.length).toBeGreaterThan(5);
  expect(text).not.toMatch(/\.ts:\d|node_modules|\n\s+at |file:\/\//);
}

const state = async () => [
  server.runtime.agents(),
  ...(await Promise.all(["victim", "other"].map((one) => server.runtime.read(one, ({ seq }) => seq)))),
];
const walked = (title: string, some: Target[], each: (target: Target) => Promise<void>) =>
  test(title, async () => {
    const before = await state();
    for (const target of some) await each(target);
    expect(await state()).toEqual(before);
    expect(server.faults).toEqual([]);
    expect((await server.ask("GET /health")).status).toBe(200);
  });

const changing = targets.filter(({ reads }) => reads);
const withBody = changing.filter(({ name }) => bodies[name]);
const ofAgent = targets.filter(({ route }) => route.path.includes("{agent}"));

walked("bad JSON, half of it, other encodings, and what is no object are refused", changing, async (target) => {
  const wrong = ["{", '{"goal":', "nul", "[1,2]", "42", '"text"', "null", "true", "{'goal':'x'}", "\u0000"];
  for (const body of [...wrong, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), Buffer.from('{"goal":"x"}', "utf16le")])
    expectClear(`${target.title} ${String(body)}`, await ask(target, { body }), [400, 401, 429]);
});

walked("JSON that is nested too deeply is refused", changing, async (target) => {
  for (const deep of [
    "[".repeat(100_000),
    `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
    `${"[".repeat(bodyLimits.mostDepth + 1)}${"]".repeat(bodyLimits.mostDepth + 1)}`,
  ])
    expectClear(target.title, await ask(target, { body: deep }), [400, ...(target.route.open ? [413] : [])]);
});

walked("a body that is missing or lacks what is needed is refused", withBody, async (target) => {
  expectClear(target.title, await ask(target, {}), [400]);
  expectClear(target.title, await ask(target, { body: "{}" }), [400]);
});

walked("a field that nobody knows, or of another type, is refused", withBody, async (target) => {
  const right = bodies[target.name]!;
  expectClear(target.title, await ask(target, { body: JSON.stringify({ ...right, unheard_of: 1 }) }), [400]);
  for (const field of Object.keys(right))
    for (const value of [null, {}, [], -1, true, "", { toString: "x" }, "\ud800"])
      expectClear(
        `${target.title} ${field} ${JSON.stringify(value)}`,
        await ask(target, { body: JSON.stringify({ ...right, [field]: value }) }),
      );
  expectClear(
    target.title,
    await ask(target, { body: `{"__proto__":{"x":1},${JSON.stringify(right).slice(1)}` }),
    [400],
  );
});

walked("a body that is too large is refused", changing, async (target) => {
  const body = `{"x":"${"y".repeat(target.route.open ? openBytes : bodyLimits.mostBytes)}"}`;
  expectClear(target.title, await ask(target, { body }), [413]);
});

walked("another content type is refused", changing, async (target) => {
  const body = JSON.stringify(bodies[target.name] ?? {});
  for (const type of ["text/plain", "text/html", "application/jsonx", "application/json-patch+json", "application/xml"])
    expectClear(target.title, await ask(target, { body, headers: { "content-type": type } }), [400]);
});

walked("an agent that there is not, or that cannot be, is not found or refused", ofAgent, async (target) => {
  const body = target.mutates ? { body: JSON.stringify(bodies[target.name] ?? {}) } : {};
  const title = `unknown ${target.title}`;
  expectClear(title, await ask(target, { params: { agent: "nobody" }, ...body }), [404, 400]);
  // An address with .. is another address: some of them are routes of their own.
  for (const agent of [
    "..",
    "%2e%2e",
    "%2e%2e%2fother",
    "a%00b",
    "UPPER",
    "a".repeat(300),
    "%F0%9F%98%80",
    "%E0%A4%A",
    "__proto__",
    "*",
    "%20",
  ])
    if (!/^(\.\.|%2e%2e)$/.test(agent) || !/^\/agents\/\{agent\}\/events$/.test(target.route.path))
      expectClear(`${agent} ${target.title}`, await ask(target, { params: { agent }, ...body }));
});

walked(
  "another agent's things, and things that there are not, are not found",
  targets.filter(({ route }) => /\{agent\}.*\{/.test(route.path)),
  async (target) => {
    const body = target.mutates ? { body: JSON.stringify(bodies[target.name] ?? {}) } : {};
    const names = [...target.route.path.matchAll(/\{(\w+)\*?\}/g)]
      .map(([, name]) => name!)
      .filter((name) => name !== "agent");
    for (const value of ["q999", "n999", "..%2f..%2fother", "%00", "x".repeat(5_000)])
      expectClear(
        `${value.slice(0, 20)} ${target.title}`,
        await ask(target, { params: Object.fromEntries(names.map((name) => [name, value])), ...body }),
      );
  },
);

walked(
  "pages that cannot be, and cursors of nothing or of another list, are refused",
  targets.filter(({ route }) => route.query && "cursor" in route.query.shape),
  async (target) => {
    for (const query of [
      "?limit=0",
      "?limit=-1",
      "?limit=1e9",
      "?limit=x",
      "?limit=",
      "?cursor=x",
      `?cursor=${"x".repeat(201)}`,
      `?cursor=${Buffer.from("nothing:1").toString("base64url")}`,
    ])
      expectClear(`${target.title}${query}`, await ask(target, { query }), [400]);
  },
);

test("a cursor of what is not in the list any more is stale", async () => {
  const cursor = Buffer.from("runs:r99").toString("base64url");
  const { status, body } = await server.ask(`GET /agents/victim/runs?cursor=${cursor}`);
  expect([status, body.error.code]).toEqual([409, "stale"]);
});

test("what there is not says so, to whoever has the token", async () => {
  for (const what of [
    "GET /nothing",
    "PUT /agents",
    "DELETE /agents",
    "POST /agents/victim",
    "GET //",
    "GET /agents/victim/send",
    "PROPFIND /agents",
  ]) {
    const { status, body } = await server.ask(what);
    expect([what, status, body.error?.code]).toEqual([what, 404, "not_found"]);
  }
});

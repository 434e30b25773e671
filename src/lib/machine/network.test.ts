import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { NetworkError } from "../network/network-error.ts";
import type { NetworkRequest } from "../world.ts";
import { type Address, createNetwork, type NetworkOptions } from "./network.ts";
import { certificate, serve } from "./server.test-help.ts";

const local: Address = { address: "127.0.0.1", family: 4 };
/** Public by its range, but given to nobody. */
const nowhere: Address = { address: "2d00::1", family: 6 };

function ask(url: string, given: Partial<NetworkRequest> = {}, options: NetworkOptions = {}) {
  const signal = new AbortController().signal;
  return createNetwork(options).request({ url, signal, maxBytes: 100_000, timeoutMs: 5_000, ...given });
}

/** The error, and nothing but a NetworkError is one. */
async function refused(...given: Parameters<typeof ask>): Promise<NetworkError> {
  const error = await ask(...given).then(
    () => new Error("it was answered"),
    (error) => error,
  );
  if (!(error instanceof NetworkError)) throw error;
  return error;
}

test("an answer comes whole, whatever its status", async () => {
  const server = await serve((_request, response) => response.writeHead(404, { "X-Odd": "yes" }).end("nothing"));
  const { body, ...rest } = await ask(server.url("/a?b=c#d"), {
    allowPrivate: [server.place],
    headers: { accept: "x/y" },
  });
  expect(rest).toMatchObject({ url: server.url("/a?b=c"), status: 404, headers: { "x-odd": "yes" } });
  expect(String(body)).toBe("nothing");
  expect(server.asked).toMatchObject([
    { method: "GET", url: "/a?b=c", headers: { accept: "x/y", host: server.place } },
  ]);
});

test("a private address is not reached, however it is written, unless the config names it", async () => {
  const server = await serve((_request, response) => response.end("secret"));
  for (const host of [
    "127.0.0.1",
    "127.1",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "[::ffff:127.0.0.1]",
    "localhost",
    "0",
  ])
    expect((await refused(server.url("/", host))).code).toBe("forbidden");
  for (const url of [
    "http://127.0.0.1/",
    "http://[::1]/",
    "http://169.254.169.254/latest/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://0/",
  ])
    expect((await refused(url)).message).toMatch(
      /not public; only public addresses are allowed, .* web\.allow_private .* lists .*:80$/,
    );
  expect((await refused(server.url(), { allowPrivate: [`127.0.0.1:${server.port + 1}`] })).code).toBe("forbidden");
  expect(server.asked).toEqual([]);
  expect(server.open()).toBe(0);
});

test("a name is refused as soon as one of its addresses is private", async () => {
  for (const found of [[local], [nowhere, local], [{ address: "fd00::1", family: 6 }, nowhere]]) {
    const error = await refused("http://name.test/", {}, { resolve: async () => found });
    expect(error).toMatchObject({ code: "forbidden" });
    expect(error.message).toMatch(/^http:\/\/name\.test\/ resolves to (127\.0\.0\.1|fd00::1), which is not public/);
  }
});

test("a name is looked up once: what it becomes after the check is never asked", async () => {
  const first = await serve((_request, response) => response.end("first"));
  const answers = [[local], [{ address: "127.0.0.2", family: 4 }]];
  let asked = 0;
  const resolve = async () => answers[asked++]!;
  const { body } = await ask(
    `http://flip.test:${first.port}/`,
    { allowPrivate: [`flip.test:${first.port}`] },
    { resolve },
  );
  expect([String(body), asked]).toEqual(["first", 1]);
  expect(first.asked[0]!.headers.host).toBe(`flip.test:${first.port}`);
});

test("a name that is public when checked and private afterwards is not followed there", async () => {
  let asked = 0;
  const resolve = async () => (asked++ ? [local] : [nowhere]);
  const error = await refused("http://flip.test/", { timeoutMs: 300 }, { resolve });
  expect(["unreachable", "limit_reached"]).toContain(error.code);
  expect(asked).toBe(1);
});

test("redirects are followed, five at most, and every one of them is checked", async () => {
  const server = await serve((request, response) => {
    const left = Number(request.url!.slice(1));
    if (left) response.writeHead(302, { location: `/${left - 1}` }).end("x".repeat(200_000));
    else response.end("there");
  });
  const allowPrivate = [server.place];
  const { url, body } = await ask(server.url("/5"), { allowPrivate });
  expect([url, String(body)]).toEqual([server.url("/0"), "there"]);
  expect(await refused(server.url("/6"), { allowPrivate })).toMatchObject({ code: "limit_reached" });
});

test.each([
  "http://169.254.169.254/latest/meta-data",
  "http://2130706433/",
  "http://[::1]/",
  "http://private.test/",
  "//localhost/",
  "file:///etc/passwd",
  "http://u:p@public.test/",
  "http://public.test:6379/",
])("a redirect to %s is refused", async (location) => {
  const server = await serve((_request, response) => response.writeHead(302, { location }).end());
  const resolve = async (host: string) => [host === "private.test" ? { address: "10.0.0.1", family: 4 } : nowhere];
  const error = await refused(server.url(), { allowPrivate: [server.place] }, { resolve });
  expect(["forbidden", "invalid"]).toContain(error.code);
});

test("another origin does not get what was meant for the first", async () => {
  const second = await serve((_request, response) => response.end("ok"));
  const first = await serve((request, response) => {
    const location = request.url === "/same" ? "/to" : second.url();
    response.writeHead(request.url === "/to" ? 200 : request.url === "/307" ? 307 : 302, { location }).end();
  });
  const allowPrivate = [first.place, second.place];
  const headers = { authorization: "Bearer k", "x-api-key": "k", cookie: "k", accept: "text/html" };
  await ask(first.url("/other"), { allowPrivate, headers });
  expect(second.asked[0]!.headers).toMatchObject({ accept: "text/html" });
  expect(JSON.stringify(second.asked)).not.toMatch(/Bearer|x-api-key|cookie/);
  await ask(first.url("/same"), { allowPrivate, headers });
  expect(first.asked.at(-1)!.headers).toMatchObject(headers);
  const post = { allowPrivate, method: "POST" as const, body: "secret" };
  expect(await refused(first.url("/307"), post)).toMatchObject({ code: "forbidden" });
  await ask(first.url("/other"), post);
  expect(second.asked.at(-1)).toMatchObject({ method: "GET", body: "" });
  expect(second.asked).toHaveLength(2);
});

test("a body goes again to the same origin when the answer says so", async () => {
  const server = await serve((request, response) =>
    request.url === "/" ? response.writeHead(308, { location: "/b" }).end() : response.end(),
  );
  await ask(server.url(), { allowPrivate: [server.place], method: "POST", body: "hello" });
  expect(server.asked.map((one) => one.body)).toEqual(["hello", "hello"]);
});

test("https is checked against its host, and credentials never go down to http", async () => {
  const plain = await serve((_request, response) => response.end("plain"));
  const tls = certificate("site.test");
  const server = await serve((_request, response) => response.writeHead(302, { location: plain.url() }).end(), { tls });
  const allowPrivate = [plain.place, ...["site.test", "other.test"].map((host) => `${host}:${server.port}`)];
  const options = { ca: tls.cert, resolve: async () => [local] };
  const at = (host: string) => server.url("/", host);
  expect(String((await ask(at("site.test"), { allowPrivate }, options)).body)).toBe("plain");
  const headers = { authorization: "k" };
  expect((await refused(at("site.test"), { allowPrivate, headers }, options)).code).toBe("forbidden");
  expect((await refused(at("other.test"), { allowPrivate }, options)).message).toMatch(
    /certificate is for another host$/,
  );
  expect((await refused(at("site.test"), { allowPrivate }, { resolve: options.resolve })).message).toMatch(
    /is not trusted$/,
  );
  expect(plain.asked).toHaveLength(1);
});

const packings: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gzipSync,
  "x-gzip": gzipSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  deflate: deflateSync,
  Deflate: deflateRawSync,
};

test.each(Object.entries(packings))("%s is unpacked, and a bomb of it is not", async (encoding, pack) => {
  const server = await serve((request, response) => {
    const size = request.url === "/bomb" ? 5_000_000 : 50_000;
    response.writeHead(200, { "content-encoding": encoding }).end(pack(Buffer.alloc(size, "a")));
  });
  const allowPrivate = [server.place];
  expect((await ask(server.url(), { allowPrivate })).body.equals(Buffer.alloc(50_000, "a"))).toBe(true);
  const error = await refused(server.url("/bomb"), { allowPrivate });
  expect(error).toMatchObject({ code: "too_large", message: expect.stringContaining("more than 100,000 bytes") });
});

test("broken, unknown and twofold packing is told as such", async () => {
  const server = await serve((request, response) => {
    response.writeHead(200, { "content-encoding": decodeURIComponent(request.url!.slice(1)) }).end("not packed at all");
  });
  for (const encoding of ["gzip", "br", "zstd", "deflate", "compress", "gzip, gzip"])
    expect((await refused(server.url(`/${encoding}`), { allowPrivate: [server.place] })).message).toMatch(/pack/);
});

test("an endless answer is cut off where the limit is, and the connection with it", async () => {
  const server = await serve((_request, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(16_384)));
    };
    response.on("drain", more);
    more();
  });
  expect(await refused(server.url(), { allowPrivate: [server.place] })).toMatchObject({ code: "too_large" });
  await expect.poll(server.open).toBe(0);
});

test.each(["nothing", "one byte after the other", "a body that does not end", "redirects that never end"])(
  "a server that sends %s is given its time and no more",
  async (what) => {
    let timer: NodeJS.Timeout;
    onTestFinished(() => clearInterval(timer));
    const server = await serve((_request, response) => {
      if (what.startsWith("one")) timer = setInterval(() => response.socket?.write("H"), 10);
      if (what.startsWith("a body")) timer = setInterval(() => response.write("x"), 10);
      if (what.startsWith("redirects")) timer = setTimeout(() => response.writeHead(302, { location: "/" }).end(), 100);
    });
    const error = await refused(server.url("/p?key=k"), { allowPrivate: [server.place], timeoutMs: 250 });
    if (!what.startsWith("one")) expect(error.message).toMatch(/did not answer in full within 0\.25 s$/);
    expect(error.message).not.toContain("key");
    await expect.poll(server.open).toBe(0);
  },
);

test("whoever stops is answered at once, in every phase", async () => {
  const server = await serve((request, response) => void (request.url === "/body" && response.write("x")));
  const hangs = () => new Promise<never>(() => undefined);
  for (const phase of ["before", "lookup", "headers", "body"]) {
    const stop = new AbortController();
    if (phase === "before") stop.abort();
    const url = phase === "lookup" ? "http://slow.test/" : server.url(`/${phase}`);
    const request = { allowPrivate: [server.place], signal: stop.signal, timeoutMs: 60_000 };
    const answer = refused(url, request, phase === "lookup" ? { resolve: hangs } : {});
    if (phase !== "before" && phase !== "lookup") await expect.poll(() => server.asked.at(-1)?.url).toBe(`/${phase}`);
    stop.abort();
    expect(await answer).toMatchObject({ code: "closed", message: expect.stringMatching(/was stopped$/) });
  }
  await expect.poll(server.open).toBe(0);
});

test("a host that is not there, and one where nobody listens, are told in words", async () => {
  const resolve = async () => {
    throw Object.assign(new Error("getaddrinfo ENOTFOUND gone.test"), { code: "ENOTFOUND" });
  };
  expect(await refused("https://gone.test/x?key=k", {}, { resolve })).toMatchObject({
    code: "unreachable",
    message: "https://gone.test/x?… cannot be reached: there is no host gone.test",
  });
  expect((await refused("http://none.test/", {}, { resolve: async () => [] })).message).toMatch(
    /none\.test has no address$/,
  );
  const server = await serve((_request, response) => response.destroy());
  expect((await refused(server.url(), { allowPrivate: [server.place] })).message).toMatch(/the connection was lost$/);
  const free = "127.0.0.1:1";
  expect((await refused(`http://${free}/`, { allowPrivate: [free] })).message).toMatch(/nothing is listening there$/);
});

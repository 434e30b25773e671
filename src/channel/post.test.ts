/** Webhook, Slack and Discord against real servers on this machine: taken, refused, slow, silent, gone. */
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { serve } from "../lib/machine/server.test-help.ts";
import { Problem } from "../schema/problem.ts";
import { channel, notice, sent } from "./channel.test-help.ts";
import { sign, verify } from "./sign.ts";

const ok = (_request: unknown, response: { end(text?: string): void }) => response.end("ok");
const secret = { HOOK_SECRET: "s3cret" };
const hook = (url: string, timeoutMs?: number) =>
  channel({ kind: "webhook", url, secret_env: "HOOK_SECRET" }, secret, timeoutMs);

describe("a webhook", () => {
  test("is sent everything an answer needs, signed, with a key that stays the same", async () => {
    const { url, asked } = await serve(ok);
    expect(await sent(hook(url("/in?x=1")))).toBeUndefined();
    expect(await sent(hook(url("/in?x=1")))).toBeUndefined();
    const [{ method, headers, body, url: path }] = asked as [(typeof asked)[0]];
    expect([method, path, headers["content-type"]]).toEqual(["POST", "/in?x=1", "application/json"]);
    expect(JSON.parse(body)).toEqual({
      agent: "chips",
      run: "r1",
      kind: "question",
      id: "q2",
      delivery: "chips/17/out/abc",
      from: "bob",
      at: "2026-01-01T00:00:00.000Z",
      text: "Which of the two?",
      options: ["this", "that"],
      default: "this",
      deadline: "2026-01-02T00:00:00.000Z",
      reply: 'agiraph answer chips q2 "your answer"',
    });
    const [, time, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["agiraph-signature"]))!;
    expect(hex).toBe(createHmac("sha256", "s3cret").update(`${time}.${body}`).digest("hex"));
    expect(asked.map((one) => one.headers["idempotency-key"])).toEqual(["chips/17/out/abc", "chips/17/out/abc"]);
    expect(() => verify("s3cret", String(headers["agiraph-signature"]), body, Number(time) * 1000)).not.toThrow();
  });

  test("is taken with any 2xx, and with nothing else", async () => {
    for (const [status, said] of [
      [204, undefined],
      [202, undefined],
      [500, "answered 500"],
      [404, "answered 404: the address is wrong or was removed"],
      [401, "answered 401: authentication required"],
      [304, "answered 304"],
    ] as const) {
      const { url, place } = await serve((_, response) => response.writeHead(status).end());
      expect((await sent(hook(url())))?.message).toBe(said && `${place} ${said}`);
    }
  });

  test("says how long to wait when it says so", async () => {
    for (const [header, seconds] of [
      ["120", 120],
      ["0.5", 0.5],
      ["-5", undefined],
      ["soon", undefined],
      ["", undefined],
    ] as const) {
      const { url } = await serve((_, response) => response.writeHead(429, { "retry-after": header }).end());
      expect((await sent(hook(url())))?.retryAfterSeconds).toBe(seconds);
    }
  });

  test("that is slow is waited for, one that hangs is not, and one that is gone is told", async () => {
    const slow = await serve((_, response) => setTimeout(() => response.end("ok"), 150));
    expect(await sent(hook(slow.url()))).toBeUndefined();
    const hangs = await serve(() => undefined);
    expect((await sent(hook(hangs.url(), 200)))?.message).toBe(`${hangs.place} did not answer in time`);
    const half = await serve((_, response) => response.writeHead(200, { "content-length": "10" }).write("half"));
    expect((await sent(hook(half.url(), 200)))?.message).toBe(`${half.place} did not answer in time`);
    expect((await sent(hook("http://127.0.0.1:9/")))?.message).toBe("127.0.0.1:9 cannot be reached");
  });

  test("ends at once when it is stopped", async () => {
    const hangs = await serve(() => undefined);
    const stop = new AbortController();
    const sending = sent(hook(hangs.url()), notice(), stop.signal);
    stop.abort(new Error("over"));
    expect((await sending)?.message).toContain("was not reached before the shutdown");
  });

  test("that sends on is not followed into having delivered", async () => {
    const other = await serve(ok);
    for (const status of [301, 302, 307, 308]) {
      const { url, place } = await serve((_, response) =>
        response.writeHead(status, { location: other.url("/elsewhere") }).end(),
      );
      expect((await sent(hook(url())))?.message).toContain(place);
      const here = await serve((request, response) =>
        request.url === "/to" ? response.end("ok") : response.writeHead(status, { location: "/to" }).end(),
      );
      expect((await sent(hook(here.url("/from"))))?.message).toBe(
        `${here.place} redirects to another address; use that one in the config`,
      );
    }
    expect(other.asked).toEqual([]);
  });

  test("whose secret is not set says which variable is missing", async () => {
    const { url, asked } = await serve(ok);
    const refusing = channel({ kind: "webhook", url: url(), secret_env: "HOOK_SECRET" });
    expect((await sent(refusing))?.message).toBe("the environment variable HOOK_SECRET is not set");
    expect(asked).toEqual([]);
  });
});

describe("a signature", () => {
  const now = 1_767_225_600_000;
  const problem = (run: () => void) => {
    try {
      run();
      return undefined;
    } catch (error) {
      return error instanceof Problem && error.code === "forbidden" ? error.message : String(error);
    }
  };

  test("fits what was signed, for five minutes", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.integer({ min: -300, max: 299 }), (body, key, late) => {
        verify(key, sign(key, body, now), body, now + late * 1000);
      }),
    );
    const header = sign("k", "body", now);
    for (const late of [-301, 301, 1e9])
      expect(problem(() => verify("k", header, "body", now + late * 1000))).toContain("older than 5 minutes");
  });

  test("fits nothing else", () => {
    const header = sign("k", "body", now);
    const moved = header.replace(/t=\d+/, `t=${now / 1000 + 1}`);
    for (const [key, given, body] of [
      ["other", header, "body"],
      ["k", header, "body "],
      ["k", moved, "body"],
      ["k", header.replace(/.$/, (last) => (last === "0" ? "1" : "0")), "body"],
    ] as const)
      expect(problem(() => verify(key, given, body, now))).toContain("does not match");
    for (const given of [undefined, "", "t=1", "v1=00", `${header},v1=00`, header.toUpperCase(), "t=,v1="])
      expect(problem(() => verify("k", given, "body", now))).toContain("not signed");
    expect(problem(() => verify("", sign("", "body", now), "body", now))).toContain("not signed");
  });
});

const hostile =
  "<!channel> <!here> <@U123> <https://evil.example|your bank> @everyone @here [bank](https://evil.example) **x** `y` ||z|| \u202egnp.exe \u0007 & bob@example.com";

describe("Slack", () => {
  const slack = (url: string) => channel({ kind: "slack", url_env: "SLACK_URL" }, { SLACK_URL: url });

  test("is sent text that calls nobody, hides no link and shows no preview", async () => {
    const { url, asked } = await serve(ok);
    expect(await sent(slack(url()), notice({ text: hostile, options: ["<!channel>"] }))).toBeUndefined();
    const body = JSON.parse(asked[0]!.body);
    expect(body).toMatchObject({
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
      link_names: false,
      parse: "none",
    });
    expect(body.text).toMatch(/^bob of chips asks \(q2\)\n/);
    expect(body.text).toContain("&lt;!channel&gt;");
    expect(body.text).toContain("&amp; bob@example.com");
    expect(body.text).not.toMatch(/[<>\u202e]|(?!\n)\p{Cc}|(?<![a-z])@[a-z]/u);
    expect(body.text).toContain("Until 2026-01-02T00:00:00.000Z, then: this");
    expect(body.text).toContain('Answer with: agiraph answer chips q2 "your answer"');
  });

  test("keeps its address to itself when it fails", async () => {
    const { url, place } = await serve((_, response) => response.writeHead(404).end());
    expect((await sent(slack(url("/services/T0/B0/topsecret"))))?.message).toMatch(
      new RegExp(`^${place} answered 404`),
    );
    for (const bad of [
      "http://127.0.0.1:9/services/topsecret",
      "http://x:y@127.0.0.1:9/topsecret",
      "topsecret",
      "ftp://topsecret",
    ])
      expect((await sent(slack(bad)))?.message).not.toMatch(/topsecret|x:y/);
  });
});

describe("Discord", () => {
  const discord = (url: string) => channel({ kind: "discord", url });

  test("is sent text that calls nobody and has no markup of its own", async () => {
    const { url, asked } = await serve((_, response) => response.writeHead(200).end("{}"));
    expect(await sent(discord(url("/api/webhooks/1/t?thread_id=5")), notice({ text: hostile }))).toBeUndefined();
    expect(asked[0]!.url).toBe("/api/webhooks/1/t?thread_id=5&wait=true");
    const body = JSON.parse(asked[0]!.body);
    expect(body).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 });
    expect(body.content).toContain("\\[bank\\]\\(https\\://evil.example\\)");
    expect(body.content).toContain("\\*\\*x\\*\\*");
    expect(body.content).not.toMatch(/(?<!\\)[<>*`|[\]]|(?<![a-z])@[a-z]/);
  });

  test("is never sent more than it takes, whatever the text, and never half an escape", async () => {
    const { url, asked } = await serve((_, response) => response.writeHead(204).end());
    const to = discord(url());
    const wild = fc.string({
      unit: fc.constantFrom("a", "*", "@", "😀", "\n", "\\", "<"),
      minLength: 1_500,
      maxLength: 4_000,
    });
    await fc.assert(
      fc.asyncProperty(wild, async (text) => {
        await to.send(notice({ text, options: [text, text], default: text }), new AbortController().signal);
        const { content } = JSON.parse(asked.at(-1)!.body) as { content: string };
        expect(content.length).toBeLessThanOrEqual(2_000);
        expect(content.isWellFormed()).toBe(true);
        expect(content).toContain("agiraph answer chips q2");
        const cut = content.slice(0, content.indexOf("…"));
        expect(/\\*$/.exec(cut)![0].length % 2).toBe(0);
      }),
      { numRuns: 40 },
    );
  });
});

test("a notice that asks for nothing says nothing of an answer", async () => {
  const { url, asked } = await serve(ok);
  const { question: _q, options: _o, default: _d, deadline: _l, ...plain } = notice();
  await sent(channel({ kind: "slack", url: url() }), {
    ...plain,
    concern: "completed",
    from: "coordinator",
    text: "42",
  });
  await sent(channel({ kind: "slack", url: url() }), { ...plain, concern: "paused", from: "system", text: "no money" });
  expect(asked.map(({ body }) => JSON.parse(body).text)).toEqual([
    "chips is finished\n42",
    "chips is paused\nno money\nResume it: agiraph resume chips",
  ]);
});

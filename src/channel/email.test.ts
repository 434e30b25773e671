/** E-mail against a real SMTP server on this machine. */
import { createServer } from "node:net";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { channel, type Mailed, mailServer, notice, sent } from "./channel.test-help.ts";

const email = (port: number, smtp = {}, env = {}) =>
  channel(
    {
      kind: "email",
      smtp: { host: "127.0.0.1", port, from: "Agiraph <agent@example.com>", to: "me@example.com", ...smtp },
    },
    env,
  );
const header = ({ headers }: Mailed, name: string) => headers.filter(([one]) => one === name).map(([, value]) => value);

test("a question is a letter in plain text that says who asks, what, and how to answer", async () => {
  const { port, got } = await mailServer();
  const to = ["me@example.com", "you@example.com"];
  expect(await sent(email(port, { to, reply_to: "desk@example.com" }))).toBeUndefined();
  const [letter] = got as [Mailed];
  expect([letter.from, letter.to]).toEqual(["agent@example.com", to]);
  expect(header(letter, "subject")).toEqual(["bob of chips asks (q2): Which of the two?"]);
  expect(header(letter, "reply-to")).toEqual(["desk@example.com"]);
  expect(header(letter, "content-type")[0]).toMatch(/^text\/plain/);
  expect(header(letter, "message-id")).toEqual(["<chips.17.out.abc@example.com>"]);
  expect(header(letter, "auto-submitted")).toEqual(["auto-generated"]);
  expect(letter.body).toBe(
    'bob of chips asks (q2).\n\nWhich of the two?\n\nChoices: this / that\nUntil 2026-01-02T00:00:00.000Z, then: this\nAnswer with: agiraph answer chips q2 "your answer"\n\n-- \nchips/17/out/abc\n',
  );
});

test("no text becomes a header, an address or another letter", async () => {
  const { port, got } = await mailServer();
  const names = [
    "auto-submitted",
    "content-transfer-encoding",
    "content-type",
    "date",
    "from",
    "message-id",
    "mime-version",
    "subject",
    "to",
  ];
  const evil = fc.string({
    unit: fc.constantFrom(
      "\r\n",
      "\n",
      "\r",
      "Bcc: evil@example.com",
      "\r\n.\r\n",
      "é",
      "\u2028",
      "\0",
      "x".repeat(90),
      "<",
      ">",
      ":",
      "😀",
      "\t",
    ),
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(evil, evil, async (text, from) => {
      const before = got.length;
      expect(await sent(email(port), notice({ text: `a${text}`, from: `b${from}`, key: `k${from}` }))).toBeUndefined();
      expect(got.length).toBe(before + 1);
      const letter = got.at(-1)!;
      expect(letter.to).toEqual(["me@example.com"]);
      expect(letter.headers.map(([name]) => name).sort()).toEqual(names);
    }),
    { numRuns: 15 },
  );
});

test("a login is used, and a wrong one is told without the password", async () => {
  const seen: unknown[] = [];
  const { port, got } = await mailServer({
    authOptional: false,
    onAuth({ username, password }, _session, done) {
      seen.push([username, password]);
      if (password === "pa55word") done(null, { user: "me" });
      else done(new Error(`no, ${password} is wrong`));
    },
  });
  const login = { user: "me", password_env: "MAIL_PASSWORD" };
  expect(await sent(email(port, login, { MAIL_PASSWORD: "pa55word" }))).toBeUndefined();
  const refused = await sent(email(port, login, { MAIL_PASSWORD: "hunter22" }));
  expect(seen).toEqual([
    ["me", "pa55word"],
    ["me", "hunter22"],
  ]);
  expect(refused?.message).toMatch(/^127\.0\.0\.1:\d+ rejected the mail: Invalid login.* is wrong/);
  expect(refused?.message).not.toContain("hunter22");
  expect((await sent(email(port, login)))?.message).toBe("the environment variable MAIL_PASSWORD is not set");
  expect(got).toHaveLength(1);
});

test("a server that refuses, hangs up or is not there is told", async () => {
  const refuses = await mailServer({ onRcptTo: (_address, _session, done) => done(new Error("no such person")) });
  expect((await sent(email(refuses.port)))?.message).toContain("no such person");
  const hangsUp = createServer((socket) => socket.destroy());
  await new Promise<void>((ready) => hangsUp.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void hangsUp.close());
  expect((await sent(email((hangsUp.address() as { port: number }).port)))?.message).toContain("rejected the mail");
  expect((await sent(email(9)))?.message).toContain("ECONNREFUSED");
});

test("one of several addresses that is refused makes it a failure", async () => {
  const { port } = await mailServer({
    onRcptTo: ({ address }, _session, done) => done(address.startsWith("me") ? null : new Error("unknown")),
  });
  expect((await sent(email(port, { to: ["me@example.com", "x@example.com"] })))?.message).toContain(
    "refused for 1 of 2",
  );
});

test("a server that says nothing is left when sending is stopped", async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((ready) => silent.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void silent.close());
  const stop = new AbortController();
  const sending = sent(email((silent.address() as { port: number }).port), notice(), stop.signal);
  silent.once("connection", () => stop.abort());
  expect((await sending)?.message).toContain("stopped");
});

test("a password is not given to a server that cannot encrypt", async () => {
  const seen: unknown[] = [];
  const { port } = await mailServer({
    onAuth(auth, _session, done) {
      seen.push(auth);
      done(null, { user: "me" });
    },
  });
  // The same machine by a name that does not say so.
  const refused = await sent(
    email(port, { host: "::ffff:127.0.0.1", user: "me", password_env: "P" }, { P: "hunter22" }),
  );
  expect(refused?.message).toContain("STARTTLS");
  expect(seen).toEqual([]);
});

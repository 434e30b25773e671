import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server.test-help.ts";

/** Its first turn is the goal; then one turn for each message. */
const script = `
participants:
  coordinator:
    - say: I am here.
    - { seconds: 0.05, say: "It is four.\\n\\nevent: forged" }
    - { seconds: 0.05, calls: [{ tool: ask_human, input: { question: "Which one?", options: [a, b] } }] }
    - { say: Then that one. }
    - { calls: [{ tool: finish, input: { summary: All done. } }] }
`;

describe("talking to an agent", () => {
  let server: TestServer;
  const agent = "/agents/talker";
  beforeAll(async () => {
    server = await startTestServer({ script });
    await server.ask("POST /agents", { goal: "Talk", name: "talker", start: false });
    await server.ask("POST /agents", { goal: "Quiet", name: "other", start: false });
  });
  afterAll(() => server.close());

  test("an agent without a run says that it has none", async () => {
    const { status, body } = await server.ask(`POST ${agent}/send`, { message: "hello" });
    expect([status, body.error.code]).toEqual([409, "wrong_state"]);
  });

  test("with wait the answer is the reply of who has read it, not of the turn before", async () => {
    // The first turn, for the goal, says "I am here." after this message is in the log or before it: it is never the reply.
    await server.ask(`POST ${agent}/runs`, {});
    const { status, body } = await server.ask(`POST ${agent}/send`, { message: "two and two?", wait: 10 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: expect.stringMatching(/^m[12]$/), to: ["coordinator"] });
    expect(["I am here.", "It is four.\n\nevent: forged"]).toContain(body.reply.text);
    expect(body.reply).toMatchObject({ kind: "message", from: "coordinator" });
    expect(body.reply.seq).toBeGreaterThan(body.seq);
  });
});

describe("replies", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ script });
    await server.ask("POST /agents", { goal: "Talk", name: "talker" });
    for await (const events of server.runtime.follow("talker", 0))
      if (events.some(({ type }) => type === "message.posted")) break;
  });
  afterAll(() => server.close());
  const send = "POST /agents/talker/send";

  test("T14 streamed, the words come before the reply, and any text is one event", async () => {
    const { headers, body } = await server.ask(
      send,
      { content: "two and two?", wait: true },
      {
        accept: "text/event-stream",
      },
    );
    expect(headers.get("content-type")).toMatch(/^text\/event-stream/);
    const events = body
      .trim()
      .split("\n\n")
      .map((frame: string) => {
        const [event, data, ...more] = frame.split("\n");
        expect(more).toEqual([]);
        return [event!.slice("event: ".length), JSON.parse(data!.slice("data: ".length))];
      });
    expect(events.map(([name]: [string]) => name)).toEqual(["sent", "delta", "reply"]);
    expect(events[1][1]).toMatchObject({
      type: "text",
      text: "It is four.\n\nevent: forged",
      participant: "coordinator",
    });
    expect(events[2][1].reply).toMatchObject({ kind: "message", text: "It is four.\n\nevent: forged" });
  });

  test("without wait it is taken at once; asked again with its key, the wait finds the same reply that came meanwhile", async () => {
    const key = { "idempotency-key": "ask-1" };
    const wish = { message: "choose", wait: 0.001 };
    const first = await server.ask(send, wish, key);
    expect(first).toMatchObject({ status: 202, body: { reply: null, why: expect.stringContaining("0.001 seconds") } });
    for await (const events of server.runtime.follow("talker", first.body.seq))
      if (events.some(({ type }) => type === "question.asked")) break;
    const again = await server.ask(send, wish, key);
    // The time may be over before the log was read; the reply is not lost by that.
    expect(again.body).toMatchObject({ id: first.body.id, to: first.body.to, seq: first.body.seq });
    const other = await server.ask(send, { ...wish, wait: 10 }, key);
    expect(other).toMatchObject({ status: 422, body: { error: { code: "key_reused" } } });
  });

  test("a question is a reply, is listed, and is answered without an id if it is the only one", async () => {
    const { body } = await server.ask("GET /agents/talker/questions?status=open");
    expect(body.items).toMatchObject([{ id: "q1", text: "Which one?", options: ["a", "b"] }]);
    expect((await server.ask("GET /inbox")).body.items[0]).toMatchObject({
      agent: "talker",
      id: "q1",
      kind: "question",
    });
    expect((await server.ask("GET /agents/talker")).body).toMatchObject({
      status: "waiting_for_human",
      open_questions: 1,
    });
    const none = await server.ask("POST /agents/talker/respond", { response: "a", question_id: "q7" });
    expect(none).toMatchObject({ status: 404, body: { error: { message: expect.stringContaining("q1") } } });
    const answered = await server.ask("POST /agents/talker/respond", { response: "a" });
    expect(answered).toMatchObject({ status: 200, body: { question: "q1", answer: "a" } });
    expect((await server.ask("GET /agents/talker/questions?status=open")).body.items).toEqual([]);
    const late = await server.ask("POST /agents/talker/respond", { response: "b" });
    expect(late).toMatchObject({ status: 409, body: { error: { code: "conflict", details: { open: [] } } } });
    expect((await server.ask("POST /agents/talker/respond", { response: "b", question_id: "q1" })).status).toBe(409);
  });

  test("the end of the run is a reply too, and who is paused says so at once", async () => {
    for await (const events of server.runtime.follow("talker", 0))
      if (events.some(({ type, data }) => type === "message.posted" && data.text === "Then that one.")) break;
    const { status, body } = await server.ask(send, { message: "finish", wait: 10 });
    expect([status, body.reply]).toMatchObject([200, { kind: "answer", id: "r1", text: "All done." }]);
    await server.ask("POST /agents", { goal: "Quiet", name: "quiet" });
    await server.ask("POST /agents/quiet/pause");
    const paused = await server.ask("POST /agents/quiet/send", { message: "hello?", wait: 60 });
    expect(paused).toMatchObject({ status: 202, body: { reply: null, why: "paused by the human" } });
  });

  test.each(["application/json", "text/event-stream"])(
    "who goes away while waiting for %s leaves nobody waiting",
    async (accept) => {
      if (!server.runtime.has("resting")) {
        await server.ask("POST /agents", { goal: "Rest", name: "resting" });
        // Its script says something to the first messages; after them it is silent.
        for (let n = 0; n < 8; n++) {
          const { body } = await server.ask("POST /agents/resting/send", { message: "hello", to: "coordinator" });
          for await (const events of server.runtime.follow("resting", body.seq))
            if (events.some(({ type }) => type === "turn.ended" || type === "run.completed")) break;
          if ((await server.ask("GET /agents/resting")).body.open_questions)
            await server.ask("POST /agents/resting/respond", { response: "a" });
        }
      }
      const gone = new AbortController();
      const asked = fetch(`${server.url}/agents/resting/send`, {
        method: "POST",
        headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json", accept },
        body: JSON.stringify({ message: "hello", to: "coordinator", wait: 600 }),
        signal: gone.signal,
      }).then((response) => response.text());
      const followers = () => server.runtime.opened("resting")?.streams.followers();
      await expect.poll(followers).toBe(1);
      gone.abort();
      await expect(asked).rejects.toThrow();
      await expect.poll(followers).toBe(0);
    },
  );

  test("an unknown name is refused with those there are; a nudge is heard at once", async () => {
    const nobody = await server.ask(send, { message: "hi", to: "bob" });
    expect(nobody).toMatchObject({ status: 404, body: { error: { message: expect.stringMatching(/coordinator/i) } } });
    const { body } = await server.ask("POST /agents/resting/nudge", { message: "look here" });
    const [event] = (await server.runtime.follow("resting", body.seq - 1).next()).value ?? [];
    expect(event).toMatchObject({ type: "message.posted", actor: "human", data: { priority: "immediate" } });
    expect(server.faults).toEqual([]);
  });
});

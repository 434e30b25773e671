import { afterAll, beforeAll, expect, test } from "vitest";
import { fromFrozenState } from "../../api/state.ts";
import { reduce } from "../../core/reduce.ts";
import { canonical } from "../../core/state.ts";
import { startTestServer, type TestServer } from "../server.test-help.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test("a state from the wire, and the events after it, are the state", async () => {
  const { id } = (await server.ask("POST /agents", { goal: "Read the news" })).body;
  const begun = fromFrozenState((await server.ask(`GET /agents/${id}/state`)).body);
  await server.runtime.send(id, { type: "message.post", text: "and then?" }, { actor: "human" });
  const [seq, now] = await server.runtime.read(id, (state) => [state.seq, canonical({ ...state, keys: new Map() })]);
  for await (const events of server.runtime.follow(id, begun.seq)) {
    for (const event of events) if (event.seq <= seq) reduce(begun, event);
    if (begun.seq === seq) break;
  }
  expect(canonical({ ...begun, keys: new Map() })).toBe(now);
});

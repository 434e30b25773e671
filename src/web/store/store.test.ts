import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../client/index.ts";
import { platform } from "../../client/platform.ts";
import { canonical, type State } from "../../core/state.ts";
import { startTestServer, type TestServer } from "../../server/server.test-help.ts";
import { post, rest } from "../../server/stream/streams.test-help.ts";
import { createStore, type Store } from "./store.ts";

let server: TestServer;
const stores: Store[] = [];
/** Pauses between attempts are over at once. */
const after = (ms: number, call: () => void) => platform.after(ms > 40_000 ? ms : ms / 50, call);

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  for (const store of stores) store.close();
  await server.close();
});

function open(given: { fetch?: typeof platform.fetch } = {}): Store {
  const store = createStore(createClient({ url: server.url, token: server.token, after, ...given }));
  stores.push(store);
  store.start();
  return store;
}

/** Resolves when it holds. */
const until = (store: Store, holds: () => unknown) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (!holds()) return;
      end();
      resolve();
    };
    const end = store.subscribe(look);
    look();
  });

async function theirs(agent: string): Promise<{ seq: number; text: string }> {
  await rest(server, agent);
  let text = "";
  const seq = await server.runtime.read(agent, (state: State) => {
    text = canonical({ ...state, keys: new Map() });
    return state.seq;
  });
  return { seq, text };
}

const mine = (store: Store, agent: string) => canonical({ ...store.agent(agent)!.state!, keys: new Map() });

describe("the store", () => {
  test("has the daemon's own state of an agent that is opened, and keeps it over restarts", async () => {
    await server.ask("POST /agents", { goal: "Say little", name: "one" });
    await post(server, "one", 3);
    const store = open();
    await until(store, () => store.link().ready);
    store.open("one");
    for (let life = 0; life < 2; life++) {
      await server.restart();
      await post(server, "one", 3);
    }
    const { seq, text } = await theirs("one");
    await until(store, () => (store.agent("one")?.state?.seq ?? 0) >= seq);
    expect(mine(store, "one")).toBe(text);
  });

  test("knows an agent that is made while it looks, and hears each of its events once", async () => {
    const store = open();
    await until(store, () => store.link().ready);
    const heard: number[] = [];
    store.onEvent((agent, { seq }) => agent === "two" && heard.push(seq));
    await server.ask("POST /agents", { goal: "Be new", name: "two" });
    await post(server, "two", 4);
    const { seq, text } = await theirs("two");
    await until(store, () => (store.agent("two")?.state?.seq ?? 0) >= seq);
    expect(mine(store, "two")).toBe(text);
    expect(heard).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
    expect(store.summaries().find(({ id }) => id === "two")).toMatchObject({ goal: "Be new", seq });
  });

  test.each(["state", "events"])("loses nothing that happens while the %s are on their way", async (what) => {
    await server.ask("POST /agents", { goal: "Be slow", name: `slow-${what}` });
    const agent = `slow-${what}`;
    await rest(server, agent);
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const store = open({
      async fetch(url, init) {
        const response = await fetch(url, init);
        if (url.includes(`/agents/${agent}/${what}`)) {
          asked.resolve();
          await gate.promise;
        }
        return response;
      },
    });
    await until(store, () => store.link().ready);
    let heard = 0;
    store.onEvent((whose, { seq }) => {
      if (whose === agent) heard = seq;
    });
    store.open(agent);
    if (what === "events") {
      await until(store, () => store.agent(agent)?.state);
      store.history(agent)!.load(store.agent(agent)!.state!.seq);
    }
    await asked.promise;
    await post(server, agent, 3);
    const { seq, text } = await theirs(agent);
    await until(store, () => heard === seq);
    gate.resolve();
    await until(store, () => (store.agent(agent)?.state?.seq ?? 0) >= seq);
    expect(mine(store, agent)).toBe(text);
    if (what === "state") return;
    await until(store, () => store.history(agent)!.status() === "ready");
    expect(
      store
        .history(agent)!
        .events()
        .map((event) => event.seq),
    ).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
  });

  test("gives a new object for each change and the same one while there is none", async () => {
    const store = open();
    await until(store, () => store.link().ready);
    store.open("one");
    await until(store, () => store.agent("one")?.state);
    const before = store.agent("one");
    expect(store.agent("one")).toBe(before);
    await post(server, "one", 1);
    await until(store, () => store.agent("one") !== before);
    expect(store.agent("one")!.state).not.toBe(before!.state);
  });

  test("has the past of an agent without gaps, and goes on with what happens", async () => {
    const store = open();
    await until(store, () => store.link().ready);
    store.open("one");
    await until(store, () => store.agent("one")?.state);
    const history = store.history("one")!;
    history.load(store.agent("one")!.state!.seq);
    await until(store, () => history.status() === "ready");
    await post(server, "one", 3);
    const { seq } = await theirs("one");
    await until(store, () => history.events().at(-1)?.seq === seq);
    expect(history.events().map((event) => event.seq)).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
    expect(history.more()).toBe(false);
  });

  test("says when it is offline, when it is back, and why it is closed for good", async () => {
    let away = false;
    const store = open({
      fetch: (url, init) => (away ? Promise.reject(new TypeError("gone")) : fetch(url, init)),
    });
    await until(store, () => store.link().ready);
    expect(store.link().status).toBe("live");
    away = true;
    await server.restart();
    await until(store, () => store.link().status === "offline");
    away = false;
    await until(store, () => store.link().status === "live");
    const stranger = createStore(createClient({ url: server.url, token: "wrong", after }));
    stores.push(stranger);
    stranger.start();
    await until(stranger, () => stranger.link().status === "closed");
    expect(stranger.link().problem).toMatchObject({ code: "unauthorized" });
  });
});

/**
 * Comes by the daemon's door, with the real client: talks with keys, gives files, looks around, opens windows and leaves them, answers from
 * a channel.
 *
 * What was answered with a key is answered the same again, also by another life of the process (I1); the key for something else is refused.
 * A session that was left is never good again, and a code opens one window (session). Whatever is answered has the shape its route says (door).
 */
import { routes } from "../../src/api/index.ts";
import type { Route } from "../../src/api/route.ts";
import { sign } from "../../src/channel/sign.ts";
import type { Client } from "../../src/client/index.ts";
import { Problem } from "../../src/schema/problem.ts";
import { ConnectionLost, channelSecret, createCaller, host } from "../door.ts";
import type { Actor, Company } from "./company.ts";

/** Asking again would give the same answer. */
const lasting = ["wrong_state", "invalid", "not_found", "conflict", "limit_reached", "forbidden", "stale"];
const isLasting = (error: unknown): error is Problem => error instanceof Problem && lasting.includes(error.code);

const isAnswered = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  );

/** What is shown of one agent or of all. */
const views = (Object.keys(routes) as (keyof typeof routes)[]).filter((name) => {
  const { method, path, tag, kind } = routes[name] as Route;
  return method === "GET" && !kind && !/\{(?!agent\})/.test(path) && !/^(docs|system|session|models)$/.test(tag);
});
type Views = Record<string, (given: object) => Promise<unknown>>;

interface Window {
  token: string;
  left: boolean;
}

export function createVisitor(company: Company): Actor {
  const { sim, setup, fleet, witness } = company;
  const dice = company.dice("visitor");
  const way = { sim, fleet, dice, lost: () => (company.isCalm() ? 0 : setup.lostAcks / 2) };
  const client = createCaller(way);
  const windows: Window[] = [];
  const violated = (invariant: string, agent: string, what: string) => witness.violated(invariant, `${agent}: ${what}`);

  const visits: Record<string, (agent: string, name: string) => Promise<void>> = {
    async say(agent, name) {
      const to = dice.pick(["coordinator", "coordinator", "ann", "*"]);
      await repeat(agent, name, (by) =>
        by.send({ params: { agent }, body: { message: `by the door ${name}`, to }, key: name }),
      );
    },
    async nudge(agent, name) {
      await repeat(agent, name, (by) => by.nudge({ params: { agent }, body: { message: `now ${name}` }, key: name }));
    },
    async give(agent, name) {
      const text = `paper ${name} ${dice.hex(dice.int(30))}`;
      let id: string | undefined;
      await company.until(agent, `give ${name}`, async () => {
        try {
          const made = await client.createResource({
            params: { agent },
            body: { title: `${name}.txt`, text },
            key: name,
          });
          if (id !== undefined && made?.id !== id)
            violated("I1", agent, `${name} was kept as ${id} and as ${made?.id}`);
          id = made.id;
        } catch (error) {
          if (!isLasting(error)) throw error;
          if (id !== undefined) violated("I1", agent, `${name} was kept and then refused: ${error.message}`);
          return;
        }
        if (dice.chance(setup.lostAcks)) throw new Error("the answer was not heard");
      });
      const resources = id === undefined ? undefined : [id];
      if (resources)
        await repeat(agent, `${name}-told`, (by) =>
          by.send({ params: { agent }, body: { resources }, key: `${name}-told` }),
        );
    },
    async wait(agent, name) {
      const body = { message: `answer me ${name}`, wait: 1 + dice.int(10) };
      await client.send({ params: { agent }, body, key: name }).catch(() => undefined);
    },
    async look(agent) {
      const name = dice.pick(views);
      try {
        const told = await (client as unknown as Views)[name]!({ params: { agent } });
        const said = routes[name].answer.safeParse(told);
        if (!said.success)
          violated("door", agent, `${name} answered ${JSON.stringify(told).slice(0, 200)}: ${said.error.message}`);
        witness.count("looked");
      } catch (error) {
        if (!(error instanceof Problem) && !(error instanceof ConnectionLost)) throw error;
      }
    },
    /** A window is opened with a code, used, and sometimes left. */
    async window(agent, name) {
      const window: Window = { token: "", left: false };
      const by = openWindow(window);
      try {
        const { code } = await client.createCode();
        window.token = (await by.openSession({ body: { code } })).token;
        witness.count("window");
        if (await isAnswered(openWindow({ ...window, token: "" }).openSession({ body: { code } })))
          violated("session", agent, "a code opened two windows");
        await by.getSession();
        windows.push(window);
        const body = { message: `by a window ${name}` };
        // The window may be lost with its process; then it is said with the token, and still once.
        await repeat(agent, name, (client, n) => (n === 0 ? by : client).send({ params: { agent }, body, key: name }));
        await sim.time.sleep(dice.int(3_000));
        if (dice.chance(0.3)) return;
        await by.closeSession();
        window.left = true;
        witness.count("window left");
      } catch (error) {
        witness.tell(agent, `window: ${String(error)}`);
      }
    },
    /** As a program would that was told of a question by a channel: twice, at once. */
    async answer(agent) {
      const open = await client.listQuestions({ params: { agent }, query: { status: "open" } }).catch(() => undefined);
      const question = open?.items[0]?.id ?? `q${1 + dice.int(3)}`;
      const body = JSON.stringify({ agent, question, answer: "by a channel" });
      const send = async () => {
        const up = fleet.any();
        if (!up?.door) return undefined;
        const headers = {
          host,
          "content-type": "application/json",
          "agiraph-signature": sign(channelSecret, body, up.world.clock.now()),
        };
        const request = new Request(`http://${host}/channels/post/answers`, { method: "POST", headers, body });
        const response = await company.ask(up, () => up.door!(request));
        return response.ok ? ((await response.json()) as { seq: number }).seq : undefined;
      };
      const [first, second] = await Promise.all([send(), send()].map((one) => one.catch(() => undefined)));
      if (first !== undefined) witness.count("answered by a channel");
      if (first !== undefined && second !== undefined && first !== second)
        violated("I1", agent, `one answer of a channel is event ${first} and event ${second}`);
    },
  };

  const openWindow = (window: Window): Client =>
    createCaller(way, {
      headers: () => ({
        "sec-fetch-site": "same-origin",
        ...(window.token ? { authorization: `Bearer ${window.token}` } : {}),
      }),
    });

  /** Until it is answered, and then perhaps again: the answer stays the same. And once for something else: that is refused. */
  async function repeat(
    agent: string,
    key: string,
    send: (by: Client, attempt: number) => Promise<{ seq: number }>,
  ): Promise<void> {
    let attempt = 0;
    let seq: number | undefined;
    await company.until(agent, key, async () => {
      try {
        const answer = await send(client, attempt++);
        if (seq !== undefined && answer.seq !== seq)
          violated("I1", agent, `${key} was answered as ${seq} and as ${answer.seq}`);
        seq = answer.seq;
        company.acked.set(`http/${key}`, { agent, seq });
        witness.count("by the door");
      } catch (error) {
        if (!isLasting(error)) throw error;
        if (seq !== undefined) violated("I1", agent, `${key} was answered and then refused: ${error.message}`);
        return;
      }
      if (dice.chance(0.2)) throw new Error("asked again, to see whether the answer is the same");
    });
    if (seq === undefined || !dice.chance(0.2)) return;
    const other = await client.send({ params: { agent }, body: { message: "something else" }, key }).then(
      ({ seq }) => `taken as event ${seq}`,
      (error) => (error instanceof Problem ? error.code : "unreachable"),
    );
    if (!["key_reused", "unreachable", "closed", "storage_failed", "conflict"].includes(other))
      violated("I1", agent, `the key ${key} for something else was ${other}`);
  }

  /** Nobody comes back into a window that was left. */
  async function tryDoors(): Promise<void> {
    for (;;) {
      await sim.time.sleep(company.isCalm() ? 3_000 : 500 + dice.int(4_000));
      for (const window of windows)
        if (window.left && (await isAnswered(openWindow({ ...window }).getSession())))
          witness.violated("session", "a window that was left is good again");
    }
  }

  return {
    meet(agent) {
      if (!setup.visits || fleet.hosts.length > 1) return;
      const names = Object.keys(visits);
      for (let n = 0; n < setup.visits; n++) {
        const what = n === 0 ? "say" : dice.pick(names);
        sim.time.after(dice.int(setup.chaosMs), () => void visits[what]!(agent, `visit-${agent}-${n}`));
      }
      if (agent === "a1") void tryDoors();
    },
  };
}

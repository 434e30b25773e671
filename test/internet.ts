/** Commands in a real sandbox, and an internet that the test serves on loopback: a coordinator makes calls, and the human answers about hosts. */
import { type AddressInfo, connect, type Server } from "node:net";
import { afterAll, onTestFinished } from "vitest";
import { machine } from "../src/lib/machine/index.ts";
import { createProcesses } from "../src/lib/machine/processes.ts";
import type { Outside } from "../src/lib/machine/proxy.ts";
import type { World } from "../src/lib/world.ts";
import { createModel, unmarked } from "../src/runtime/model.test-help.ts";
import { Config } from "../src/schema/config.ts";
import type { Event } from "../src/schema/event.ts";
import { createBash } from "../src/tool/bash.ts";
import { type House, openHouse } from "./crash/house.ts";
import { type Call, newHome, removeHome } from "./desk.ts";

export interface Internet {
  /** Names that were looked up, in order. */
  resolved: string[];
  world: World;
}

/** Every host leads to these servers, by port; names with `private.` lead inside. It lives as long as the test. */
export async function internet(
  servers: Partial<Record<80 | 443, Server>>,
  rest: Partial<Outside> = {},
): Promise<Internet> {
  for (const server of Object.values(servers)) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
  }
  const resolved: string[] = [];
  const outside: Outside = {
    async resolve(host) {
      resolved.push(host);
      return host.startsWith("private.") ? ["10.0.0.1"] : ["93.184.216.34"];
    },
    dial(_, port) {
      const address = servers[port as 80 | 443]?.address() as AddressInfo | undefined;
      return connect(address?.port ?? 9, "127.0.0.1");
    },
    connectMs: 30_000,
    ...rest,
  };
  return { resolved, world: { ...machine, processes: createProcesses({ outside }) } };
}

type QuestionAsked = Extract<Event, { type: "question.asked" }>;

export interface PlayOptions {
  internet: Internet;
  /** What the human says to a question about a host; nothing if it is left open. */
  answer(event: QuestionAsked, house: House): string | undefined;
  network?: string[];
  allowAlways?(subject: string): void;
}

/** One coordinator that makes these calls, one turn each: what it was told, what was asked and what happened. */
export async function play(turns: Call[], { internet, answer, ...options }: PlayOptions) {
  const home = newHome();
  homes.push(home);
  const { sandbox } = Config.parse({ sandbox: { network: options.network ?? [] } });
  const network = { hosts: [...sandbox.network], others: sandbox.other_hosts };
  const backend = createModel({ coordinator: turns.map((call) => ({ calls: [call] })) }, [], machine.clock);
  const house = await openHouse({
    home,
    backend,
    world: internet.world,
    tools: [createBash({ sandbox })],
    network,
    async allowAlways(subject) {
      options.allowAlways?.(subject);
      network.hosts.push(subject);
    },
  });
  const events: Event[] = [];
  try {
    await house.runtime.create({ goal: "g", name: "a1", model: "scripted/test" });
    await house.until("a1", (event) => {
      events.push(event);
      const said = event.type === "question.asked" ? answer(event, house) : undefined;
      if (event.type === "question.asked" && said !== undefined)
        void house.runtime.send("a1", { type: "question.answer", question: event.data.question, answer: said });
      return events.filter(({ type }) => type === "turn.ended").length === turns.length;
    });
  } finally {
    await house.close();
  }
  const texts = events.flatMap((event) => (event.type === "tool.ended" ? [unmarked(event.data.result)] : []));
  const questions = events.flatMap((event) => (event.type === "question.asked" ? [event.data] : []));
  return { texts, events, questions };
}

const homes: string[] = [];
/** Called once by each file that plays. */
export const removeHomes = (): void =>
  afterAll(async () => {
    for (const home of homes.splice(0)) await removeHome(home);
  });

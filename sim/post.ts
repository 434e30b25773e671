/**
 * The channels by which people are told outside: slow, down, or taking what they are sent and then not saying so. They outlive every process.
 * Where the config changes, each life of a process has others of them.
 *
 * From `judgePost` on: a message to the human was taken at least once by each channel that wanted it, a question by each as long as it was
 * open, what the log says was sent was taken, and is said once. Only while a hundred others wait for the same channel may one be dropped.
 * Asks only the raw log. Not here: what is still to be sent (rest.ts).
 */
import { type Channel, ChannelError } from "../src/channel/channel.ts";
import type { Channels } from "../src/channel/channels.ts";
import type { Concern } from "../src/schema/delivery.ts";
import type { Line } from "./history.ts";
import type { Setup } from "./setup.ts";
import type { Witness } from "./witness.ts";
import type { Incarnation, SimWorld } from "./world.ts";

const all: Concern[] = ["questions", "approvals", "messages", "paused", "completed", "failed"];
/** What each channel wants to be told. */
const wishes: Record<string, Concern[]> = {
  post: all,
  mail: ["questions", "completed"],
  chat: ["messages", "approvals"],
};

/** `isPending` asks the process that sends. */
export function createPost(
  sim: SimWorld,
  setup: Setup,
  witness: Witness,
  { life, number }: Incarnation,
  isPending: (agent: string, id: string) => boolean,
): Channels {
  if (!setup.post) return new Map();
  const dice = sim.random.fork(`post ${number}`);
  const { failures, slowMs, changing } = setup.post;
  const fails = () => sim.time.mono() < setup.post!.untilMs && dice.chance(failures);
  const names = changing ? Object.keys(wishes).filter(() => dice.chance(0.7)) : ["post"];
  const createChannel = (name: string): Channel => ({
    kind: name === "mail" ? "email" : "webhook",
    for: wishes[name]!,
    async send({ agent, id }) {
      if (!isPending(agent, id))
        witness.violated("post", `${agent}: ${id} is sent although nothing says that it should be`);
      await life.sleep(1 + dice.int(slowMs));
      if (fails()) {
        witness.count("post down");
        throw new ChannelError("down", dice.pick([undefined, 90]));
      }
      witness.took(`${agent} ${id}`);
      await life.sleep(1 + dice.int(slowMs));
      if (!fails()) return;
      witness.count("post unheard");
      throw new ChannelError("hung up");
    },
  });
  return new Map(names.map((name) => [name, createChannel(name)]));
}

export function judgePost(agent: string, lines: readonly Line[], witness: Witness): void {
  const violated = (what: string) => witness.violated("post", `${agent}: ${what}`);
  const sent = new Set<string>();
  const over = new Set<string>();
  /** What is still to be told, with the question it tells of; a message is overtaken by nothing. */
  const owed = new Map<string, string | undefined>();
  let channels: Record<string, { for: string[] }> = {};

  function owe(seq: number, concern: Concern, question?: string): void {
    for (const [name, wish] of Object.entries(channels))
      if (wish.for.includes(concern)) owed.set(`${seq}/${name}`, question);
  }
  function overtake(at: number, gone: (id: string, question: string | undefined) => boolean): void {
    for (const [id, question] of owed) {
      if (sent.has(id) || !gone(id, question)) continue;
      owed.delete(id);
      ends.set(id, at);
    }
  }

  /** When each delivery was over, by the log; the seq at which it began is in its id. */
  const ends = new Map<string, number>();

  for (const { seq, type, data } of lines) {
    if (type === "delivery.sent" || (type === "delivery.failed" && data.next_at === undefined))
      ends.set(String(data.delivery), seq);
    if (type === "delivery.routed") {
      if (Object.keys(channels).length) witness.count("rerouted");
      channels = data.channels as typeof channels;
      overtake(seq, (id) => !Object.hasOwn(channels, id.split("/")[1]!));
    }
    if (type === "agent.archived") overtake(seq, () => true);
    if (type === "run.started") overtake(seq, (_, question) => question !== undefined);
    if (type === "question.answered" || type === "question.expired")
      overtake(seq, (_, question) => question === data.question);
    if (type === "question.asked" && data.channel === undefined)
      owe(seq, data.approves || data.host ? "approvals" : "questions", String(data.question));
    if (type === "message.posted" && data.from !== "human" && (data.to as string[]).includes("human"))
      owe(seq, "messages");
    if (type === "delivery.failed" && data.next_at === undefined) over.add(String(data.delivery));
    if (type !== "delivery.sent") continue;
    const id = String(data.delivery);
    if (sent.has(id)) violated(`${id} is said to be sent twice`);
    sent.add(id);
    if (!witness.taken(`${agent} ${id}`)) violated(`${id} is said to be sent, and nobody took it`);
  }
  for (const id of owed.keys())
    if (!sent.has(id) && !over.has(id) && mostAtOnce(ends, id) < mostPending) violated(`${id} was never sent`);
  if (sent.size) witness.count("post sent", sent.size);
}

/** How many the product keeps for a channel. */
const mostPending = 100;

/** How many others waited for the same channel at one moment, at most, after this one came. */
function mostAtOnce(ends: ReadonlyMap<string, number>, id: string): number {
  const [from, channel] = id.split("/") as [string, string];
  const others = [...ends].flatMap(([other, end]) => {
    const [seq, name] = other.split("/") as [string, string];
    return name === channel && end > Number(from) ? [{ begin: Number(seq), end }] : [];
  });
  return Math.max(
    0,
    ...others.map(({ begin: at }) => others.filter(({ begin, end }) => begin <= at && at < end).length),
  );
}

/**
 * The channel by which people are told outside: slow, down, or taking what it is sent and then not saying so. It outlives every process.
 *
 * From `judgePost` on: what concerned the human was taken at least once, what the log says was sent was taken, and is said once. Asks only the
 * raw log. Not here: what is still to be sent (rest.ts).
 */
import { type Channel, ChannelError } from "../src/channel/channel.ts";
import type { Channels } from "../src/channel/channels.ts";
import type { Concern } from "../src/schema/delivery.ts";
import type { Line } from "./history.ts";
import type { Setup } from "./setup.ts";
import type { Witness } from "./witness.ts";
import type { Incarnation, SimWorld } from "./world.ts";

const all: Concern[] = ["questions", "approvals", "messages", "paused", "completed", "failed"];

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
  const { failures, slowMs } = setup.post;
  const fails = () => sim.time.mono() < setup.post!.untilMs && dice.chance(failures);
  const channel: Channel = {
    kind: "webhook",
    for: all,
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
  };
  return new Map([["post", channel]]);
}

export function judgePost(agent: string, lines: readonly Line[], witness: Witness): void {
  const violated = (what: string) => witness.violated("post", `${agent}: ${what}`);
  const sent = new Set<string>();
  const over = new Set<string>();
  /** Messages to the human, which nothing overtakes. */
  const owed: string[] = [];
  let routed = false;
  for (const { seq, type, data } of lines) {
    if (type === "delivery.routed") routed = true;
    if (type === "agent.archived") owed.length = 0;
    if (type === "message.posted" && routed && data.from !== "human" && (data.to as string[]).includes("human"))
      owed.push(`${seq}/post`);
    if (type === "delivery.failed" && data.next_at === undefined) over.add(String(data.delivery));
    if (type !== "delivery.sent") continue;
    const id = String(data.delivery);
    if (sent.has(id)) violated(`${id} is said to be sent twice`);
    sent.add(id);
    if (!witness.taken(`${agent} ${id}`)) violated(`${id} is said to be sent, and nobody took it`);
  }
  for (const id of owed) if (!sent.has(id) && !over.has(id)) violated(`${id} was never sent`);
  if (sent.size) witness.count("post sent", sent.size);
}

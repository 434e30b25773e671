/** What an agent and its people have told the human: most of what a person wants to know of an agent that just answers. */
import { z } from "zod";
import type { State } from "../core/state.ts";
import { Time } from "../schema/ids.ts";

export const Said = z
  .array(z.object({ by: z.string().describe("Who said it"), at: Time, text: z.string() }))
  .describe("What it and its people have told the human since the human last wrote to it, oldest first; the newest 20");
export type Said = z.infer<typeof Said>;

const most = 20;

export function saidBy({ channel }: State): Said {
  const spoke = channel.findLast(({ from }) => from === "human")?.seq ?? 0;
  return channel
    .filter(({ seq, from, to }) => seq > spoke && from !== "human" && to.includes("human"))
    .slice(-most)
    .map(({ from: by, at, text }) => ({ by, at, text }));
}

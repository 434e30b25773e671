/** What a turn was shown, over HTTP. */
import { createContextFinder, type turnContextRoutes } from "../../api/turn-context.ts";
import { Problem } from "../../schema/problem.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertKnown } from "./agents.ts";

export const turnContextHandlers = ({ runtime }: Served): Handlers<typeof turnContextRoutes> => ({
  async getContext({ params: { agent }, query }) {
    assertKnown(runtime, agent);
    const finder = createContextFinder(query);
    const { events } = await runtime.reading(agent);
    for await (const some of events(0)) for (const event of some) finder.take(event);
    const found = finder.found();
    if (found) return found;
    const { turn, run } = query;
    const what = turn === undefined ? "no turn" : `no turn ${turn}`;
    const there = await runtime.read(agent, ({ participants }) =>
      [...participants.keys()].filter((id) => id !== "human"),
    );
    throw new Problem(
      "not_found",
      `${agent} has ${what}${run ? ` in ${run}` : ""} yet; a turn is named PARTICIPANT.NUMBER, participants: ${there.join(", ") || "none"}`,
    );
  },
});

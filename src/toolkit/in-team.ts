/**
 * Tools that a lasting agent also uses in a team in which it takes part (`ref`): with `team` the call is made there, under its name in that team, and by
 * what that team knows. Its own rules for the tool count, and the team's run must be the one in which it takes part.
 */
import type { z } from "zod";
import { AgentId } from "../schema/ids.ts";
import { Problem } from "../schema/problem.ts";
import type { Result, Tool, ToolContext } from "./tool.ts";

/** A call of a tool in another agent's run. Implemented in runtime/participant/team-call.ts. */
export interface TeamCall {
  tool: string;
  input: Record<string, unknown>;
  /** The call's idempotency key. */
  key: string;
  room?: number | undefined;
}

export function usableInTeam(tool: Tool): Tool {
  const team = AgentId.optional().describe("NAME of agent:NAME whose team you take part in; your own run if missing");
  const run = tool.run as (input: object, context: ToolContext) => Promise<string | Result>;
  return {
    ...tool,
    input: (tool.input as z.ZodObject).extend({ team }),
    ...(tool.offer ? { offer: { ...tool.offer, when: [...(tool.offer.when ?? []), "member"] } } : {}),
    toward: ({ team: there }: { team?: string }) => (there === undefined ? [] : [`agent:${there}`]),
    async run({ team: there, ...input }: { team?: string }, context: ToolContext) {
      if (there === undefined) return await run(input, context);
      const { memberships } = context.state();
      if (!memberships.has(there)) {
        const teams = [...memberships.keys()].join(", ") || "none";
        throw new Problem("not_found", `you take part in no team of agent:${there}; teams: ${teams}`);
      }
      return await context.callInTeam(there, { tool: tool.name, input, key: context.key, room: context.room });
    },
  };
}

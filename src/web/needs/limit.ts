/** The limit that stopped an agent, and a new one in its place. */
import type { Reason } from "../../schema/agent.ts";

export interface Limit {
  of: "agent" | "run" | "day";
  unit: "usd" | "tokens" | "turns" | "seconds";
  amount: number;
  words: string;
}

/** The agent's money, where the reason does not name a limit that can be raised here. */
export function limitOf({ limit }: Reason): Pick<Limit, "of" | "unit"> {
  const [of] = limit?.account.split(":") ?? [];
  return limit && (of === "agent" || of === "run" || of === "day")
    ? { of, unit: limit.unit }
    : { of: "agent", unit: "usd" };
}

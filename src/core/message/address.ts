/** Addresses of other agents of this home: `agent:NAME`. Everyone else is a participant of the run, by its id. */
import type { Address, AgentId } from "../../schema/ids.ts";

const pattern = /^@?agent:(.+)$/i;

/** The agent that is named by an address, also as people and models write it; undefined for a participant. */
export const agentIn = (address: string): AgentId | undefined =>
  pattern.exec(address.trim())?.[1]?.trim().toLowerCase();

export const addressOf = (agent: AgentId): Address => `agent:${agent}`;

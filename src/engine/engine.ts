/**
 * The engine port: who owns an agent, when it is woken, how a command reaches its owner.
 * Every implementation passes engine/contract.ts.
 *
 * Always holds: an agent has at most one live lease; each lease has a higher fence than all before it; the store refuses the
 * appends of an older fence, so a process that was thought dead cannot write. After a crash another owner takes over, is told so,
 * and asks anew for the wake-ups that the agent's log implies.
 */
import type { CommandInput, Receipt, SendOptions } from "../schema/command.ts";

export interface Engine {
  /** Begins to own agents and to deliver wake-ups and commands to `owner`. */
  start(owner: Owner): Promise<void>;
  /** Takes the agent for this process. Throws `owned_elsewhere` while another lease is live. */
  own(agent: string): Promise<Lease>;
  /** One wake-up per agent: a later call replaces it, null removes it. Delivered once, at or after `at`, to whoever owns the agent then. */
  wake(agent: string, at: number | null): void;
  /** Carries a command to the owner, wherever it is, and its answer back. */
  send(agent: string, command: CommandInput, options?: SendOptions): Promise<Receipt>;
  stop(): Promise<void>;
}

export interface Owner {
  /** Must not throw: a fault of one agent stays with that agent. */
  wake(agent: string): Promise<void>;
  command(agent: string, command: CommandInput, options: SendOptions): Promise<Receipt>;
  /** The agent came to this process because its owner died. */
  takeOver(agent: string): Promise<void>;
}

export interface Lease {
  agent: string;
  fence: number;
  /** Aborts when the lease is lost; from then on nothing of this owner is written. */
  lost: AbortSignal;
  release(): Promise<void>;
}

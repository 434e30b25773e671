/**
 * The engine port: ownership of agents by lease, wake-ups, and routing of commands to the owner.
 * Every implementation passes engine/contract.ts.
 *
 * Always holds: an agent has at most one live lease. Each lease has a higher fence (fencing token) than all before it, and the store refuses
 * appends with an older fence, so a process that was thought dead cannot write. After a crash another owner takes over, is told so, and schedules
 * again the wake-ups that the agent's log implies.
 */
import type { CommandInput, Receipt, SendOptions } from "../schema/command.ts";

export interface Engine {
  /** Starts owning agents and delivering wake-ups and commands to `owner`. */
  start(owner: Owner): Promise<void>;
  /** Acquires the agent's lease for this process. Throws `owned_elsewhere` while another lease is live. */
  own(agent: string): Promise<Lease>;
  /** One wake-up per agent: a later call replaces it, null removes it. Delivered once, at or after `at`, to the agent's owner at that time. */
  wake(agent: string, at: number | null): void;
  /** Routes a command to the owner, wherever it is, and returns its answer. */
  send(agent: string, command: CommandInput, options?: SendOptions): Promise<Receipt>;
  stop(): Promise<void>;
}

export interface Owner {
  /** Must not throw: an error of one agent stays with that agent. */
  wake(agent: string): Promise<void>;
  command(agent: string, command: CommandInput, options: SendOptions): Promise<Receipt>;
  /** This process took over the agent because its owner died. */
  takeOver(agent: string): Promise<void>;
}

export interface Lease {
  agent: string;
  fence: number;
  /** Aborts when the lease is lost; from then on this owner writes nothing. */
  lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Calls of models that fail: one notice for each endpoint, however many try and however often, from the first failure until it answers again or
 * nobody tries any more. It says who, how often and what became of it.
 */
import type { FailedEndpoint } from "../../schema/agent.ts";

export interface Trouble extends Pick<FailedEndpoint, "setting" | "why"> {
  /** Ids of those whose calls failed. */
  who: string[];
  times: number;
  /** When it is tried next. */
  until?: string;
  status: "trying" | "gave up" | "paused" | "over";
  /** Of the endpoint, if the call was sent to one. */
  host?: string;
}

/** A failed call, as its event has it: in words, and the endpoint if it was sent to one. */
export interface Failure {
  message: string;
  endpoint?: FailedEndpoint | undefined;
}

/** What two failures of one endpoint have in common. */
export const sameTrouble = ({ message, endpoint }: Failure): string => endpoint?.host ?? message;

export function troubleWords({ who, times, status, host, why }: Trouble, name: (id: string) => string): string {
  const names = who.map(name);
  const whose = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : (names[0] ?? "");
  const what = host ? `Calls to ${host}` : "Calls of the model";
  const often = times === 1 ? "once" : `${times} times`;
  switch (status) {
    case "trying":
      return `${what} fail for ${whose}, ${often} so far: ${why}`;
    case "gave up":
      return `${what} failed for ${whose}, ${often}: ${why}`;
    case "paused":
      return `Paused, because ${what[0]!.toLowerCase()}${what.slice(1)} failed for ${whose}, ${often}: ${why}`;
    case "over":
      return `${what} failed for ${whose}, ${often}; they succeed again now`;
  }
}

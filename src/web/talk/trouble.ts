/**
 * Calls of models that fail: one notice for each endpoint, however many try and however often, from the first failure until it answers again or
 * nobody tries any more. It says who, how often and what became of it.
 */

export interface Trouble {
  /** Ids of those whose calls failed. */
  who: string[];
  times: number;
  /** When it is tried next. */
  until?: string;
  status: "trying" | "gave up" | "paused" | "over";
  /** Of the endpoint, if the error names it. */
  host?: string;
  /** The setting that chose it. */
  setting?: string;
  why: string;
}

/** As backends word it: "openai/gpt at https://host/v1 (providers.openai.base_url): why" (backend/errors.ts). */
const worded = /^\S+ at (\S+?)(?: \(([^)]+)\))?(?:: | (?=answered))(.*)$/s;

export function readError(error: string): Pick<Trouble, "host" | "setting" | "why"> {
  const [, url, setting, why] = worded.exec(error) ?? [];
  if (url === undefined || why === undefined) return { why: error };
  const host = URL.canParse(url) ? new URL(url).host : url;
  return { host, ...(setting ? { setting } : {}), why };
}

/** What two failures of one endpoint have in common. */
export const sameTrouble = (error: string): string => readError(error).host ?? error;

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

/** Why a turn of a program failed: what a provider's error means, by its status and the text that a program passes on, and what an exit means. */
import type { Exit } from "../../lib/world.ts";
import type { Failure, Reason } from "../driver.ts";

export function refusal(status: number | undefined, words: string, hint: string): Failure {
  const reason = reasonOf(status, words);
  const why = words.trim().slice(0, 2_000).toWellFormed() || `the provider answered ${status ?? "with an error"}`;
  return { reason, why: reason === "login" ? `${why} (${hint})` : why };
}

function reasonOf(status: number | undefined, words: string): Reason {
  if (
    /not logged in|please run \/login|(log|sign) ?in again|invalid (api key|bearer token|x-api-key)|api key (is )?(missing|invalid)|authenticat|oauth\/token|refresh.token/i.test(
      words,
    )
  )
    return "login";
  if (/credit balance|budget|quota|billing|usage limit|insufficient (funds|credit)|payment/i.test(words))
    return "quota";
  const code = status ?? Number(/\b(?:status|error|http)[ :]*(\d{3})\b/i.exec(words)?.[1] ?? Number.NaN);
  if (code === 401 || code === 403) return "login";
  if (code === 402) return "quota";
  if (code === 408 || code === 429 || code >= 500) return "overload";
  if (/overload|rate limit|timed? ?out|connection|network|econn|socket|stream disconnected/i.test(words))
    return "overload";
  return "refused";
}

/** What command lines say of an option or a command that they do not have. */
const unknownUsage = /\b(unknown|unrecognized|unexpected|invalid) (option|argument|(sub)?command|flag)/i;

/** What it means that a program ended in the middle of a turn. `complaint`: what it said, if it said nothing else than that. */
export function failureOfExit(file: string, { code, signal, ended }: Exit, complaint: string): Failure {
  if (unknownUsage.test(complaint))
    return { reason: "version", why: `${file} does not know how we start it; install the version that was tested` };
  if (ended) return { reason: "killed", why: `${file} was ended: ${ended}` };
  if (signal ?? (code !== null && code > 128))
    return { reason: "killed", why: `${file} was killed (${signal ?? `exit code ${code}`})` };
  return { reason: "exit", why: `${file} ended (exit code ${code}) without a result` };
}

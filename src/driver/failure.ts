/** Classifies a provider's error, from its status and the text that a program passes on. */
import type { Failure, Reason } from "./driver.ts";

export function refusal(status: number | undefined, words: string, hint: string): Failure {
  const reason = reasonOf(status, words);
  const why = words.trim().slice(0, 2_000).toWellFormed() || `the provider answered ${status ?? "with an error"}`;
  return { reason, why: reason === "login" ? `${why} (${hint})` : why };
}

function reasonOf(status: number | undefined, words: string): Reason {
  if (
    /not logged in|please run \/login|log ?in again|invalid (api key|bearer token|x-api-key)|api key (is )?(missing|invalid)|authenticat/i.test(
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

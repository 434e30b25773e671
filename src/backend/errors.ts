/**
 * Classifies a failed call by the error of the provider or the network.
 *
 * transient: it may work later. provider: someone must pay, log in or raise a limit. permanent: the same request will never work. overflow: the
 * request exceeds the context window. The message names the provider, its endpoint and the setting that chose it, and quotes the provider,
 * shortened. It never contains a key.
 */
import { shorten } from "../lib/text/text.ts";
import { BackendError } from "./backend.ts";

export interface Place {
  /** The name in the config. */
  provider: string;
  model: string;
  baseUrl: string;
  /** What chose the base URL: a variable, a config key, or the default. */
  chosenBy: string;
  secrets: readonly string[];
  now(): number;
}

interface Said {
  status?: number | undefined;
  words: string;
  /** The provider's whole error, for debugging. */
  whole: string;
  retryAfterMs?: number | undefined;
}

const overflow =
  /prompt is too long|context[_ ]length[_ ]exceeded|maximum context length|context (?:window|size|length|limit)|input token count.{0,40}exceeds|input (?:is )?too long|too many (?:input )?tokens|request_too_large|reduce the length|request too large|exceed_context_size/i;
const unpaid =
  /insufficient_quota|insufficient[_ ](?:credits|balance|funds)|credit balance|billing|payment required|spending limit|exceeded your (?:current|monthly)|quota[^.]{0,40}per ?day|PerDay/i;
const locked =
  /api[ _-]?key (?:not valid|invalid|expired)|invalid (?:x-)?api[ _-]?key|API_KEY_INVALID|incorrect api key/i;

/** A Retry-After of an hour is not transient: someone should know. */
const longWait = 3_600_000;

export function failure(error: unknown, place: Place): BackendError {
  if (error instanceof BackendError) return error;
  const said = read(error, place);
  const kind = kindOf(said);
  const why = `${tidy(said.words, place)}${hint(said, kind, place)}`;
  const mayCost = said.status === undefined && !unheard.test(said.words);
  return failedAt(place, kind, why, said.status, said.retryAfterMs, mayCost);
}

/** No connection was made, so the request was not received. */
const unheard = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|CERT|SSL|TLS/;

export const cutOff = (place: Place): BackendError =>
  failedAt(place, "transient", "the answer was cut off before its end");

export const stalled = (place: Place, seconds: number, whole: boolean): BackendError =>
  failedAt(place, "transient", whole ? `the answer was not complete after ${seconds} s` : `no data for ${seconds} s`);

function failedAt(
  place: Place,
  kind: BackendError["kind"],
  why: string,
  status?: number,
  retryAfterMs?: number,
  mayCost = true,
): BackendError {
  const answered = status === undefined ? "" : `answered ${status}`;
  const message = `${at(place)}${answered && ` ${answered}`}: ${why}`;
  const host = hostOf(place.baseUrl);
  const endpoint = host ? { host, setting: place.chosenBy, why: answered ? `${answered}: ${why}` : why } : undefined;
  return new BackendError(kind, message, retryAfterMs, mayCost, endpoint);
}

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined) || undefined;

/** The provider and its endpoint. */
export const at = (place: Place): string =>
  `${place.provider}/${place.model} at ${endpoint(place.baseUrl)} (${place.chosenBy})`;

/** Without credentials and query. */
function endpoint(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname.replace(/\/$/, "")}`;
  } catch {
    return "an invalid URL";
  }
}

function kindOf({ status, words, whole, retryAfterMs }: Said): BackendError["kind"] {
  if (status === undefined) return overflow.test(words) ? "overflow" : "transient";
  if (status === 413) return "overflow";
  if ([400, 422, 429, 500].includes(status) && overflow.test(whole)) return "overflow";
  if (status === 401 || status === 402 || status === 403) return "provider";
  if (status === 429) return unpaid.test(whole) || (retryAfterMs ?? 0) > longWait ? "provider" : "transient";
  if (status === 400 && (unpaid.test(whole) || locked.test(whole))) return "provider";
  if (status === 408 || status === 409 || status === 425) return "transient";
  if (status >= 500) return status === 501 || status === 505 ? "permanent" : "transient";
  return status >= 400 ? "permanent" : "transient";
}

function hint({ status }: Said, kind: BackendError["kind"], { provider, model }: Place): string {
  if (status === 404) return `. Is ${model} a model of ${provider}?`;
  if (status === 401) return ". The key is wrong for this address";
  if (kind === "provider") return `. Use the provider ${provider}`;
  return "";
}

/** Errors within a stream have a class name instead of a status. */
const statusOf: Record<string, number> = {
  overloaded_error: 529,
  api_error: 500,
  server_error: 500,
  internal_server_error: 500,
  timeout_error: 504,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  invalid_request_error: 400,
  invalid_prompt: 400,
  context_length_exceeded: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
};

function read(error: unknown, place: Place): Said {
  const { statusCode, responseBody, responseHeaders, data } = (error ?? {}) as Record<string, unknown>;
  if (typeof statusCode === "number" && statusCode >= 400) {
    const body = typeof responseBody === "string" && responseBody ? responseBody : JSON.stringify(data ?? "");
    const words = wordsIn(body) || textOf(error);
    return { status: statusCode, words, whole: body, retryAfterMs: waitIn(responseHeaders, body, place.now()) };
  }
  const broken = netCode(error);
  if (broken) return { words: broken, whole: broken };
  const spoken = errorIn(error);
  if (!spoken) return { words: textOf(error), whole: textOf(error) };
  const whole = JSON.stringify(spoken);
  const named = [spoken.code, spoken.type, spoken.status].find((one) => typeof one === "string" && one in statusOf);
  const status = typeof spoken.code === "number" ? spoken.code : statusOf[named as string];
  return { status, words: String(spoken.message ?? whole), whole, retryAfterMs: waitIn(undefined, whole, place.now()) };
}

/** The error object in a stream, however deep it was wrapped. */
function errorIn(error: unknown, depth = 0): Record<string, unknown> | undefined {
  if (typeof error === "string") {
    try {
      return errorIn(JSON.parse(error), depth + 1);
    } catch {
      return undefined;
    }
  }
  if (typeof error !== "object" || error === null || depth > 4) return undefined;
  const { error: inner, response, data, value, message } = error as Record<string, unknown>;
  for (const one of [inner, response, data, value]) {
    const found = typeof one === "object" ? errorIn(one, depth + 1) : undefined;
    if (found) return found;
  }
  const { code, type } = error as Record<string, unknown>;
  return !(error instanceof Error) && typeof message === "string" && (code !== undefined || type !== undefined)
    ? (error as Record<string, unknown>)
    : undefined;
}

/** The provider's message in a body of JSON or HTML. */
function wordsIn(body: string): string {
  try {
    const found = JSON.parse(body);
    const one = Array.isArray(found) ? found[0] : found;
    const message = one?.error?.message ?? one?.message ?? one?.error ?? one?.detail;
    if (typeof message === "string") return message;
    return JSON.stringify(message ?? one);
  } catch {
    return body.replaceAll(/<[^<>]*>/g, " ");
  }
}

const netWords: Record<string, string> = {
  ENOTFOUND: "its name does not resolve (DNS)",
  EAI_AGAIN: "its name could not be resolved (DNS)",
  ECONNREFUSED: "the connection was refused; nothing is listening there",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  UND_ERR_SOCKET: "the connection was lost",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
};

function netCode(error: unknown): string | undefined {
  for (
    let one = error as { code?: unknown; cause?: unknown; message?: unknown } | undefined, n = 0;
    one && n < 6;
    n++
  ) {
    if (typeof one.code === "string" && /^[A-Z][A-Z0-9_]+$/.test(one.code))
      return `${netWords[one.code] ?? String(one.message ?? "the connection failed")} [${one.code}]`;
    if (one.message === "terminated") return netWords.ECONNRESET;
    one = one.cause as typeof one;
  }
  return undefined;
}

/** Retry-After: seconds or a date in the header; Gemini has it in the body. */
function waitIn(headers: unknown, body: string, now: number): number | undefined {
  const given = (headers ?? {}) as Record<string, string>;
  const ms = Number(given["retry-after-ms"]);
  if (given["retry-after-ms"] && ms >= 0) return ms;
  const after = given["retry-after"]?.trim();
  if (after) {
    if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1000;
    const date = Date.parse(after);
    if (!Number.isNaN(date)) return Math.max(0, date - now);
  }
  const delay = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return delay === undefined ? undefined : Number(delay) * 1000;
}

const textOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)) || "no reason given";

const mostWords = 300;
const keyLike = /\b(?:sk|pk|rk|key|AIza|gsk|xai|Bearer)[-_ ]?[A-Za-z0-9_*.-]{12,}/g;

/** One line, with keys redacted: ours by their value, others by their shape. */
export function tidy(words: string, { secrets }: Pick<Place, "secrets">): string {
  let text = words.toWellFormed();
  for (const secret of secrets) if (secret.length > 3) text = text.replaceAll(secret, "[key]");
  text = text.replaceAll(keyLike, "[key]").replaceAll(/([?&](?:key|api_key|token)=)[^&\s"]+/gi, "$1[key]");
  text = text.replaceAll(/\s+/g, " ").trim();
  return shorten(text, mostWords) || "no reason given";
}

/** The cost of a call from its reported usage, and its worst-case cost before it is made. */
import type { Allowance, Amount } from "../schema/budget.ts";
import type { Usage } from "../schema/turn.ts";
import type { Heard } from "./answer.ts";
import type { Model } from "./models.ts";

export interface Used {
  /** All input tokens, cached or not. */
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
}

const perMillion = 1_000_000;

export function costOf(model: Model, used: Used): Amount {
  const { price } = model.long && used.input > model.long.over ? model.long : model;
  const fresh = Math.max(0, used.input - used.cache_read - used.cache_write);
  const usd =
    fresh * price.input +
    used.cache_read * (price.cache_read ?? price.input) +
    used.cache_write * (price.cache_write ?? price.input) +
    used.output * price.output;
  return { usd: usd / perMillion, tokens: used.input + used.output };
}

/** The price of a provider's own search, and how many there can be in an answer. */
const usdPerSearch = 0.01;
export const mostSearches = 5;

/** Nothing cached, at the dearer of cache reads and writes, the longest allowed answer, and all searches. */
export function worstOf(model: Model, input: number, { output, searches }: Allowance): Amount {
  const { price } = model.long && input > model.long.over ? model.long : model;
  const dearest = Math.max(price.input, price.cache_write ?? 0);
  const usd = (input * dearest + output * price.output) / perMillion;
  return { usd: usd + (model.priced ? searches * usdPerSearch : 0), tokens: input + output };
}

/** Undefined if the provider reported no usage. */
export function usageOf({ usage }: Pick<Heard, "usage">, name: string, { priced }: Model): Usage | undefined {
  const { total, cacheRead, cacheWrite } = usage?.inputTokens ?? {};
  const output = usage?.outputTokens?.total;
  if (!total && !output) return undefined;
  const count = (given: number | undefined) => Math.max(0, Math.round(given ?? 0));
  const input = count(total);
  const cache_read = Math.min(input, count(cacheRead));
  const cache_write = Math.min(input - cache_read, count(cacheWrite));
  return { model: name, input, output: count(output), cache_read, cache_write, priced };
}

/** OpenRouter reports its cost; others are computed from their prices. */
export function billed({ about, searches }: Heard, usage: Usage, model: Model): Amount {
  const said = (about.openrouter as { usage?: { cost?: unknown } } | undefined)?.usage?.cost;
  if (typeof said === "number" && said >= 0) {
    usage.priced = true;
    return { usd: said, tokens: usage.input + usage.output };
  }
  const { usd, tokens } = costOf(model, usage);
  return { usd: usd + (model.priced ? searches * usdPerSearch : 0), tokens };
}

/**
 * The model catalog: context window, output limit, prices and capabilities.
 *
 * Prices are US dollars per million tokens, list prices as published in November 2026; introductory discounts are left out, because a budget must
 * still hold on the day they end. The config takes precedence. An unknown model gets a small window and no price; its tokens are counted all the
 * same.
 *
 * Not here: which provider a name means (providers.ts), the cost of a call (price.ts).
 */
import type { Config, Price } from "../schema/config.ts";

export interface Model {
  /** The context window: prompt and answer together. */
  window: number;
  /** The output limit of one call; always sent, and reserved before the call. */
  maxOutput: number;
  price: Price;
  /** Prices of a request whose input is longer than `over`. */
  long?: { over: number; price: Price };
  /** false: its price is unknown. */
  priced: boolean;
  /** How its thinking is requested; missing if it does not think, or it is unknown how. */
  reasons?: "adaptive" | "effort" | "thoughts";
  /** The provider searches the web itself, with this model, beside our tools. */
  search: boolean;
  /** false: it cannot call tools; the text fallback is used. */
  tools: boolean;
}

/** Longer answers are rare, and reserving more for every call would tie up budgets. */
const usualOutput = 32_000;
const unknown = { window: 32_768, maxOutput: 4_096 };

type Known = Pick<Model, "window" | "maxOutput" | "price" | "long" | "reasons" | "search">;

const price = (input: number, output: number, cache_read: number, cache_write = input): Price => ({
  input,
  output,
  cache_read,
  cache_write,
});

/** Anthropic charges a quarter more for cache writes. */
const claude = (window: number, [input, output, read]: [number, number, number], more: Partial<Known> = {}): Known => ({
  window,
  maxOutput: usualOutput,
  price: price(input, output, read, input * 1.25),
  reasons: "adaptive",
  search: true,
  ...more,
});

const million = 1_000_000;
/** Above this many input tokens OpenAI charges double for input and one and a half times for output. */
const stretch = 272_000;

const gpt = (
  window: number,
  [input, output, read]: [number, number, number],
  write = input,
  more: Partial<Known> = {},
): Known => ({
  window,
  maxOutput: usualOutput,
  price: price(input, output, read, write),
  ...(window > million
    ? { long: { over: stretch, price: price(input * 2, output * 1.5, read * 2, write * 2) } }
    : undefined),
  reasons: "effort",
  search: true,
  ...more,
});

const gemini = ([input, output, read]: [number, number, number], more: Partial<Known> = {}): Known => ({
  window: 1_048_576,
  maxOutput: usualOutput,
  price: price(input, output, read),
  reasons: "thoughts",
  search: true,
  ...more,
});

const plain = { reasons: undefined };
/** Before Gemini 3, search and our tools cannot be in one request. */
const apart = { search: false };

/** The longest matching prefix decides; a date, a version or "preview" may follow it, but no other word: a -pro costs ten times as much. */
const known: Record<string, Record<string, Known>> = {
  anthropic: {
    "claude-fable-5": claude(million, [10, 50, 1]),
    "claude-opus-5-5": claude(million, [4, 20, 0.2]),
    "claude-opus-5": claude(million, [5, 25, 0.5]),
    "claude-sonnet-5": claude(million, [2, 10, 0.2]),
    "claude-haiku-5-5": claude(million, [0.1, 0.5, 0.01], {
      long: { over: 100_000, price: price(0.5, 2.5, 0.05, 0.625) },
    }),
    "claude-opus-4-8": claude(million, [5, 25, 0.5]),
    "claude-opus-4-7": claude(million, [5, 25, 0.5]),
    "claude-opus-4-6": claude(200_000, [5, 25, 0.5]),
    "claude-sonnet-4-6": claude(200_000, [3, 15, 0.3]),
    "claude-opus-4-5": claude(200_000, [5, 25, 0.5], plain),
    "claude-sonnet-4-5": claude(200_000, [3, 15, 0.3], plain),
    "claude-haiku-4-5": claude(200_000, [1, 5, 0.1], plain),
    "claude-opus-4": claude(200_000, [15, 75, 1.5], plain),
    "claude-sonnet-4": claude(200_000, [3, 15, 0.3], plain),
  },
  openai: {
    "gpt-6.1-sol": gpt(1_050_000, [2, 10, 0.1], 2.5),
    "gpt-6-sol": gpt(1_050_000, [2, 10, 0.2], 2.5),
    "gpt-6-luna": gpt(1_050_000, [0.1, 0.5, 0.01], 0.125),
    "gpt-6-astra": gpt(1_050_000, [10, 50, 1], 12.5),
    "gpt-5.6": gpt(1_050_000, [5, 30, 0.5], 6.25),
    "gpt-5.6-sol": gpt(1_050_000, [5, 30, 0.5], 6.25),
    "gpt-5.5": gpt(1_050_000, [5, 30, 0.5]),
    "gpt-5.4": gpt(1_050_000, [2.5, 15, 0.25]),
    "gpt-5.4-mini": gpt(400_000, [0.75, 4.5, 0.075]),
    "gpt-5.4-nano": gpt(400_000, [0.2, 1.25, 0.02]),
    "gpt-5.3-codex": gpt(400_000, [1.75, 14, 0.175]),
    "gpt-5.2": gpt(400_000, [1.75, 14, 0.175]),
    "gpt-5.2-codex": gpt(400_000, [1.75, 14, 0.175]),
    "gpt-5.1": gpt(400_000, [1.25, 10, 0.125]),
    "gpt-5": gpt(400_000, [1.25, 10, 0.125]),
    "gpt-5-codex": gpt(400_000, [1.25, 10, 0.125]),
    "gpt-5-mini": gpt(400_000, [0.25, 2, 0.025]),
    "gpt-5-nano": gpt(400_000, [0.05, 0.4, 0.005]),
    o3: gpt(200_000, [2, 8, 0.5]),
    "o4-mini": gpt(200_000, [1.1, 4.4, 0.275]),
    "gpt-4.1": gpt(1_000_000, [2, 8, 0.5], 2, plain),
    "gpt-4.1-mini": gpt(1_000_000, [0.4, 1.6, 0.1], 0.4, plain),
    "gpt-4o": gpt(128_000, [2.5, 10, 1.25], 2.5, { ...plain, maxOutput: 16_384 }),
    "gpt-4o-mini": gpt(128_000, [0.15, 0.6, 0.075], 0.15, { ...plain, maxOutput: 16_384 }),
  },
  google: {
    "gemini-3.8-flash": gemini([1.5, 7.5, 0.15]),
    "gemini-3.7-flash": gemini([1.5, 7.5, 0.15]),
    "gemini-3.6-flash": gemini([1.5, 7.5, 0.15]),
    "gemini-3.5-flash": gemini([1.5, 9, 0.15]),
    "gemini-3.1-flash-lite": gemini([0.25, 1.5, 0.025]),
    "gemini-3.1-pro": gemini([2, 12, 0.2], { long: { over: 200_000, price: price(4, 18, 0.4) } }),
    "gemini-3-pro": gemini([2, 12, 0.2], { long: { over: 200_000, price: price(4, 18, 0.4) } }),
    "gemini-3-flash": gemini([0.5, 3, 0.05]),
    "gemini-2.5-pro": gemini([1.25, 10, 0.125], { ...apart, long: { over: 200_000, price: price(2.5, 15, 0.25) } }),
    "gemini-2.5-flash": gemini([0.3, 2.5, 0.03], apart),
    "gemini-2.5-flash-lite": gemini([0.1, 0.4, 0.01], apart),
  },
};

/** The known models of one maker. */
export const catalog = (family: string): string[] => (Object.hasOwn(known, family) ? Object.keys(known[family]!) : []);

/** The default models. */
export const usual: Record<string, string> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-6.1-sol",
  google: "gemini-3.8-flash",
  openrouter: "openrouter/auto",
};

/** `provider` is the name in the config; `family` the catalog that applies to it, if any. */
export function modelOf(config: Config, provider: string, family: string | undefined, name: string): Model {
  const found = family === undefined ? undefined : knownAs(family, name);
  const said = config.models[`${provider}/${name}`] ?? config.models[name] ?? {};
  const free = provider === "ollama";
  const window = said.window ?? found?.window ?? unknown.window;
  return {
    window,
    maxOutput: Math.min(said.max_output ?? found?.maxOutput ?? unknown.maxOutput, Math.max(1, window - 1)),
    price: said.price ?? found?.price ?? { input: 0, output: 0 },
    ...(found?.long && !said.price ? { long: found.long } : {}),
    priced: said.price !== undefined || found !== undefined || free,
    ...(found?.reasons && family !== "openrouter" ? { reasons: found.reasons } : {}),
    search: (said.search ?? found?.search ?? false) && family !== "openrouter" && nativeSearch.has(family ?? ""),
    tools: said.tools ?? true,
  };
}

const nativeSearch = new Set(Object.keys(known));

function knownAs(family: string, name: string): Known | undefined {
  if (family === "openrouter") return throughRouter(name);
  const models = known[family] ?? {};
  const fits = Object.keys(models).filter(
    (id) => name.startsWith(id) && /^$|^[-@](\d|latest|preview|exp)/.test(name.slice(id.length)),
  );
  const longest = fits.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : models[longest];
}

/** OpenRouter names the maker first and writes Claude's versions with dots; it has no search tool that stands beside ours. */
function throughRouter(name: string): Known | undefined {
  const [maker = "", ...rest] = name.split("/");
  if (!(maker in known)) return undefined;
  const model = rest.join("/").replace(/:.*$/, "");
  const found = knownAs(maker, maker === "anthropic" ? model.replaceAll(".", "-") : model);
  return found && { ...found, search: false };
}

/** The search engines: the request of each, and where the results are in its response. Limits and errors are in web-search.ts. */
import { z } from "zod";
import type { SearchConfig } from "../../schema/config.ts";

export interface SearchResult {
  title: string;
  url: string;
  snippet: string;
  age?: string | undefined;
}

export interface Question {
  url: string;
  method?: "POST";
  headers: Record<string, string>;
  body?: string;
}

export interface Engine {
  /** Its default URL; missing: the config must have one. */
  home?: string;
  needsKey: boolean;
  ask(query: string, base: string, key: string): Question;
  /** Throws if the response has another shape. */
  read(answer: unknown): SearchResult[];
}

export const most = 10;
const text = z
  .string()
  .nullish()
  .transform((given) => given ?? "");
const maybe = z
  .string()
  .nullish()
  .transform((given) => given ?? undefined);
const json = { "content-type": "application/json", accept: "application/json" };

const Brave = z.object({
  web: z
    .object({
      results: z.array(z.object({ title: text, url: z.string(), description: text, age: maybe, page_age: maybe })),
    })
    .nullish(),
});
const Serper = z.object({
  organic: z.array(z.object({ title: text, link: z.string(), snippet: text, date: maybe })).default([]),
});
const Tavily = z.object({
  results: z.array(z.object({ title: text, url: z.string(), content: text, published_date: maybe })),
});
const Searxng = z.object({
  results: z.array(z.object({ title: text, url: z.string(), content: text, publishedDate: maybe })),
});

export const engines: Record<SearchConfig["engine"], Engine> = {
  brave: {
    home: "https://api.search.brave.com",
    needsKey: true,
    ask: (query, base, key) => ({
      url: `${base}/res/v1/web/search?${new URLSearchParams({ q: query, count: String(most), text_decorations: "false" })}`,
      headers: { accept: "application/json", "x-subscription-token": key },
    }),
    read: (answer) =>
      (Brave.parse(answer).web?.results ?? []).map(({ description, age, page_age, ...one }) => ({
        ...one,
        snippet: description,
        age: age ?? page_age,
      })),
  },
  serper: {
    home: "https://google.serper.dev",
    needsKey: true,
    ask: (query, base, key) => ({
      url: `${base}/search`,
      method: "POST",
      headers: { ...json, "x-api-key": key },
      body: JSON.stringify({ q: query, num: most }),
    }),
    read: (answer) => Serper.parse(answer).organic.map(({ link, date, ...one }) => ({ ...one, url: link, age: date })),
  },
  tavily: {
    home: "https://api.tavily.com",
    needsKey: true,
    ask: (query, base, key) => ({
      url: `${base}/search`,
      method: "POST",
      headers: { ...json, authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: most }),
    }),
    read: (answer) =>
      Tavily.parse(answer).results.map(({ content, published_date, ...one }) => ({
        ...one,
        snippet: content,
        age: published_date,
      })),
  },
  searxng: {
    needsKey: false,
    ask: (query, base, key) => ({
      url: `${base}/search?${new URLSearchParams({ q: query, format: "json" })}`,
      headers: { accept: "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    }),
    read: (answer) =>
      Searxng.parse(answer).results.map(({ content, publishedDate, ...one }) => ({
        ...one,
        snippet: content,
        age: publishedDate,
      })),
  },
};

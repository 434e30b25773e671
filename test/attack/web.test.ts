/** Pages and answers of the web that would hold up whoever reads them, as large as they may be. */
import { expect } from "vitest";
import { machine } from "../../src/lib/machine/index.ts";
import { serve } from "../../src/lib/machine/server.test-help.ts";
import { Config } from "../../src/schema/config.ts";
import { createWebFetch } from "../../src/tool/web-fetch.ts";
import { createWebSearch } from "../../src/tool/web-search.ts";
import { shownOf } from "../../src/toolkit/shown.ts";
import type { ToolContext } from "../../src/toolkit/tool.ts";
import { attack } from "./attack.ts";
import { longestTurn } from "./stall.ts";

/** The most that is taken of the web. */
const most = 4_900_000;
const of = (piece: string, bytes = most): string => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)));

// biome-ignore format: a table
const answers: [what: string, type: string, body: () => string][] = [
  ["B12 brackets in brackets", "application/json", () => of("[", most / 2) + of("]", most / 2)],
  ["B12 objects in objects", "application/json", () => `${of('{"a":')}1`],
  ["B12 brackets that never end", "application/json", () => of("[")],
  ["B12 empty lists", "application/json", () => `[${of("[],")}0]`],
  ["B12 blanks", "application/json", () => `[${of(" ")}0]`],
  ["B12 one string", "application/json", () => `"${of("\\u0041")}"`],
  ["B12 one string of escapes", "application/json", () => `"${of("\\\\")}"`],
  ["B12 one number", "application/json", () => of("1")],
  ["B12 no JSON at all", "application/json", () => of("word ")],
  ["B12 tags in tags", "text/html", () => of("<b>")],
  ["B12 tags that never end", "text/html", () => of("<a ")],
  ["B12 entities", "text/html", () => of("&#x41;")],
  ["B12 lines", "text/plain", () => of("\n")],
  ["B12 half a wrapper", "text/plain", () => of("<\u200b/ m\u200be\u0301")],
  ["B12 marks between letters", "text/plain", () => of("o\u0301\u200b")],
  ["B12 a charset", "text/html", () => `<meta ${of(" charset", 1_000)}${of("<meta")}`],
];

/** The tools of the web, with a server that answers everything with this. */
async function tools(type: string, body: string) {
  const bytes = Buffer.from(body);
  const http = await serve((_request, response) => response.writeHead(200, { "content-type": type }).end(bytes));
  const search = { engine: "searxng", base_url: http.url("/") };
  const config = Config.parse({ web: { allow_private: [http.place], search } }).web;
  const options = { network: machine.network, threads: machine.threads, config, readMs: 1_000 };
  return { fetch: createWebFetch(options), search: createWebSearch(options), url: http.url("/") };
}
const desk = { signal: new AbortController().signal } as unknown as ToolContext;

for (const [what, type, body] of answers)
  attack("web", what, async ({ held, stalled }) => {
    const { fetch, url } = await tools(type, body());
    const { ms, value } = await longestTurn(async () => shownOf(await fetch.run({ url } as never, desk)));
    expect(value.length).toBeLessThan(60_000);
    stalled(ms);
    held();
  });

attack("web", "B12 what a search engine answers", async ({ stalled }) => {
  const { search } = await tools("application/json", `[${of("[],", 1_900_000)}0]`);
  const { ms, value } = await longestTurn(async () =>
    Promise.resolve(search.run({ query: "x" } as never, desk)).then(shownOf, String),
  );
  expect(value).toContain("did not return a list of results");
  stalled(ms);
});

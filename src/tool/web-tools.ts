/** The tools that reach the web; they need more than a tool context gives, so whoever wires the runtime makes them. */
import type { Tool } from "../toolkit/tool.ts";
import type { WebOptions } from "../toolkit/web/web.ts";
import { createWebFetch } from "./web-fetch.ts";
import { createWebSearch } from "./web-search.ts";

export const createWebTools = (options: WebOptions): Tool[] => [createWebFetch(options), createWebSearch(options)];

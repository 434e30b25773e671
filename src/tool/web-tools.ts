/** The web tools; they need more than a tool context has, so they are created where the runtime is wired. */
import type { Tool } from "../toolkit/tool.ts";
import type { WebOptions } from "../toolkit/web/web.ts";
import { createWebFetch } from "./web-fetch.ts";
import { createWebSearch } from "./web-search.ts";

export const createWebTools = (options: WebOptions): Tool[] => [createWebFetch(options), createWebSearch(options)];

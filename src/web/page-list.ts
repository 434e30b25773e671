/**
 * The pages, declared once. The router, the header, the sidebar, the palette and the bar on a phone derive from this list: a new page is its file
 * in pages/ and an entry here.
 */
import type { ComponentType } from "react";
import { type Key, keyMap } from "./shell/key-map.tsx";
import { placeOf } from "./time/place.ts";

/** Loaded when it is opened. */
export type Load = () => Promise<{ Page: ComponentType }>;
type Search<S> = (given: Record<string, unknown>) => S;

interface Page {
  name: string;
  icon: string;
  key?: Key;
}

export interface AgentPage<V extends string, S> extends Page {
  view: V;
  load: Load;
  search: Search<S>;
  /** Besides the palette. */
  shownIn: readonly ("header" | "sidebar" | "phone")[];
  /** Only of an agent that has this. */
  wants?: "folder";
}

interface Given<S> extends Page {
  load: Load;
  shownIn: AgentPage<string, S>["shownIn"];
  search?: Search<S>;
  wants?: "folder";
}

// biome-ignore lint/complexity/noBannedTypes: a page whose address says nothing more
const page = <const V extends string, S = {}>(view: V, { search, ...given }: Given<S>): AgentPage<V, S> => ({
  view,
  search: search ?? (() => ({}) as S),
  ...given,
});

/** Of one agent, at /agents/NAME/VIEW. */
export const agentPages = [
  page("talk", {
    ...{ name: "Talk", icon: "talk", key: keyMap.talk, shownIn: ["header", "phone"] },
    load: () => import("./pages/talk.tsx"),
    // `with`: whose thread, `channel` for everyone's; the conversation with the agent itself if missing (parts/main-thread.ts).
    search: (given): { with?: string; at?: string } => ({
      ...(typeof given.with === "string" ? { with: given.with } : {}),
      ...(typeof given.at === "string" ? { at: given.at } : {}),
    }),
  }),
  page("graph", {
    ...{ name: "Graph", icon: "graph", key: keyMap.graph, shownIn: ["header", "sidebar", "phone"] },
    load: () => import("./pages/graph.tsx"),
  }),
  page("time", {
    ...{ name: "Timeline", icon: "time", key: keyMap.time, shownIn: ["header", "sidebar"] },
    load: () => import("./pages/time.tsx"),
    search: placeOf,
  }),
  page("changes", {
    name: "Changes",
    icon: "merge",
    shownIn: ["sidebar"],
    wants: "folder",
    load: () => import("./pages/changes.tsx"),
    // `node`: whose change; `merged` for all that was merged.
    // `run`: an earlier one.
    search: (given): { node?: string; run?: string } => ({
      ...(typeof given.node === "string" ? { node: given.node } : {}),
      ...(typeof given.run === "string" ? { run: given.run } : {}),
    }),
  }),
  page("documents", {
    name: "Documents",
    icon: "doc",
    shownIn: ["sidebar"],
    load: () => import("./pages/documents.tsx"),
    // `name`: which one is open.
    search: (given): { name?: string } => (typeof given.name === "string" ? { name: given.name } : {}),
  }),
  page("files", {
    name: "Files",
    icon: "files",
    shownIn: ["sidebar", "phone"],
    load: () => import("./pages/files.tsx"),
  }),
  page("memory", {
    name: "Memory",
    icon: "memory",
    shownIn: ["sidebar"],
    load: () => import("./pages/memory.tsx"),
    // `view`: what it knows, instead of its files.
    search: (given): { view?: "known" } => (given.view === "known" ? { view: "known" } : {}),
  }),
  page("soul", { name: "Soul", icon: "sparkle", shownIn: ["sidebar"], load: () => import("./pages/soul.tsx") }),
  page("decisions", {
    name: "Decisions",
    icon: "vote",
    shownIn: ["sidebar"],
    load: () => import("./pages/decisions.tsx"),
    // `of`: which one, by its run and its id.
    search: (given): { of?: string } => (typeof given.of === "string" ? { of: given.of } : {}),
  }),
  page("triggers", {
    name: "Triggers",
    icon: "bolt",
    shownIn: ["sidebar"],
    load: () => import("./pages/triggers.tsx"),
  }),
  page("cost", { name: "Cost", icon: "cost", shownIn: ["sidebar"], load: () => import("./pages/cost.tsx") }),
] as const;

export type AgentPages = typeof agentPages;

export const agentPagesIn = (place: AgentPages[number]["shownIn"][number]) =>
  agentPages.filter(({ shownIn }) => shownIn.includes(place));

/** Whether this agent has the page. */
export const hasPage = ({ wants }: Pick<AgentPages[number], "wants">, agent: { folder?: string } | null | undefined) =>
  wants === undefined || agent?.folder !== undefined;

/** Of no agent, or of all. */
export const homePages = {
  needsYou: {
    path: "/needs-you",
    name: "Needs you",
    icon: "inbox",
    key: keyMap.needsYou,
    load: (() => import("./pages/needs-you.tsx")) as Load,
  },
  workflows: {
    path: "/workflows",
    name: "Workflows",
    icon: "flow",
    load: (() => import("./pages/workflows.tsx")) as Load,
    // `of`: which one is open.
    search: (given: Record<string, unknown>): { of?: string } => (typeof given.of === "string" ? { of: given.of } : {}),
  },
  newAgent: {
    path: "/new",
    name: "New agent",
    icon: "plus",
    key: keyMap.newAgent,
    load: (() => import("./pages/new.tsx")) as Load,
  },
  settings: {
    path: "/settings",
    name: "Settings",
    icon: "gear",
    load: (() => import("./pages/settings.tsx")) as Load,
  },
} as const;

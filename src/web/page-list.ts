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
}

interface Given<S> extends Page {
  load: Load;
  shownIn: AgentPage<string, S>["shownIn"];
  search?: Search<S>;
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
    // `with`: whose thread; the coordinator's if missing, `channel` for everyone's.
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
  page("files", {
    name: "Files",
    icon: "files",
    shownIn: ["sidebar", "phone"],
    load: () => import("./pages/files.tsx"),
  }),
  page("memory", { name: "Memory", icon: "memory", shownIn: ["sidebar"], load: () => import("./pages/memory.tsx") }),
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

/** Of no agent, or of all. */
export const homePages = {
  needsYou: {
    path: "/needs-you",
    name: "Needs you",
    icon: "inbox",
    key: keyMap.needsYou,
    load: (() => import("./pages/needs-you.tsx")) as Load,
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

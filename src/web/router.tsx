/** The addresses of the page. What takes long to load comes when it is opened. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { NotHere } from "./pages/not-here.tsx";
import { Shell } from "./shell/shell.tsx";
import { placeOf } from "./time/place.ts";

const root = createRootRoute({ component: Shell, notFoundComponent: NotHere });
const page = <const P extends string>(path: P, load: () => Promise<{ Page: React.ComponentType }>) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, "Page") });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/home.tsx"), "Page"),
});
const agent = createRoute({
  getParentRoute: () => root,
  path: "/agents/$agent",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/agents/$agent/talk", params });
  },
});

/** `with`: whose thread; the coordinator's if missing, `channel` for everyone's. */
const talk = createRoute({
  getParentRoute: () => root,
  path: "/agents/$agent/talk",
  component: lazyRouteComponent(() => import("./pages/talk.tsx"), "Page"),
  validateSearch: (given: Record<string, unknown>): { with?: string; at?: string } => ({
    ...(typeof given.with === "string" ? { with: given.with } : {}),
    ...(typeof given.at === "string" ? { at: given.at } : {}),
  }),
});

/** At which event, and what of it is shown; see time/place.ts. */
const time = createRoute({
  getParentRoute: () => root,
  path: "/agents/$agent/time",
  component: lazyRouteComponent(() => import("./pages/time.tsx"), "Page"),
  validateSearch: placeOf,
});

const routeTree = root.addChildren([
  home,
  agent,
  talk,
  page("/agents/$agent/graph", () => import("./pages/graph.tsx")),
  time,
  page("/agents/$agent/files", () => import("./pages/files.tsx")),
  page("/agents/$agent/memory", () => import("./pages/memory.tsx")),
  page("/agents/$agent/triggers", () => import("./pages/triggers.tsx")),
  page("/agents/$agent/cost", () => import("./pages/cost.tsx")),
  page("/needs-you", () => import("./pages/needs-you.tsx")),
  page("/new", () => import("./pages/new.tsx")),
  page("/settings", () => import("./pages/settings.tsx")),
]);

export const createPageRouter = () => createRouter({ routeTree, basepath: "/app", defaultPreload: "intent" });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}

/** The addresses of the pages in page-list.ts. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { type AgentPage, type AgentPages, agentPages, homePages, type Load } from "./page-list.ts";
import { Broken } from "./pages/broken.tsx";
import { NotHere } from "./pages/not-here.tsx";
import { Shell } from "./shell/shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotHere });
/** In other words than the browser's: by those the router would reload the window itself, besides what broken.tsx does, and not for a style sheet. */
const lazyPage = (load: Load) =>
  lazyRouteComponent(
    () =>
      load().catch((error: Error) => {
        throw new Error(`The page did not load: ${error.message}`, { cause: error });
      }),
    "Page",
  );
const page = <const P extends string>(path: P, load: Load) =>
  createRoute({ getParentRoute: () => root, path, component: lazyPage(load) });

const agent = createRoute({
  getParentRoute: () => root,
  path: "/agents/$agent",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/agents/$agent/talk", params });
  },
});

const ofAgent = <const V extends string, S>({ view, load, search }: AgentPage<V, S>) =>
  createRoute({
    getParentRoute: () => root,
    path: `/agents/$agent/${view}`,
    component: lazyPage(load),
    validateSearch: search,
  });
/** Each with its own type: links are checked against them. */
type RoutesOf<P extends readonly unknown[]> = {
  -readonly [I in keyof P]: P[I] extends AgentPage<infer V, infer S> ? ReturnType<typeof ofAgent<V, S>> : never;
};

const workflows = createRoute({
  getParentRoute: () => root,
  path: homePages.workflows.path,
  component: lazyPage(homePages.workflows.load),
  validateSearch: homePages.workflows.search,
});

const routeTree = root.addChildren([
  page("/", () => import("./pages/home.tsx")),
  agent,
  ...(agentPages.map((one) => ofAgent(one as AgentPage<string, object>)) as unknown as RoutesOf<AgentPages>),
  page(homePages.needsYou.path, homePages.needsYou.load),
  workflows,
  page(homePages.newAgent.path, homePages.newAgent.load),
  page(homePages.settings.path, homePages.settings.load),
]);

export const createPageRouter = () =>
  createRouter({ routeTree, basepath: "/app", defaultPreload: "intent", defaultErrorComponent: Broken });
export type PageRouter = ReturnType<typeof createPageRouter>;

declare module "@tanstack/react-router" {
  interface Register {
    router: PageRouter;
  }
}

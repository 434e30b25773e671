/** Loads the pages that are likely to be opened next, one after the other while the browser is idle, so that they are there at once. */
import type { AnyRoute } from "@tanstack/react-router";
import { agentPagesIn, homePages } from "./page-list.ts";
import { after } from "./platform.ts";
import type { PageRouter } from "./router.tsx";

const { needsYou, newAgent } = homePages;
const likely: readonly string[] = [
  ...agentPagesIn("header").map(({ view }) => `/agents/$agent/${view}`),
  needsYou.path,
  newAgent.path,
];

/** A file that does not come is no problem yet: it is asked for again when its page is opened. */
export async function prefetchPages({ routesById, loadRouteChunk }: PageRouter): Promise<void> {
  for (const path of likely) {
    await idle();
    await loadRouteChunk((routesById as Record<string, AnyRoute>)[path]!);
  }
}

/** Safari does not say when it is idle. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ("requestIdleCallback" in globalThis) requestIdleCallback(() => resolve());
    else after(500, resolve);
  });

/**
 * Draws a part of the page without a browser and a daemon: with a store of these states, at an address, as the markup it begins with. For what
 * depends on the state alone; what people do with it is tested in a real browser (test/web).
 */
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { summaryOf } from "../api/summary.ts";
import type { Client } from "../client/index.ts";
import type { State } from "../core/state.ts";
import type { Answers, HeldAnswer } from "./store/held.ts";
import { StoreContext } from "./store/hooks.ts";
import type { Link, Store } from "./store/store.ts";
import type { Outbox } from "./talk/outbox.ts";

export interface Scripted {
  states?: readonly State[];
  held?: readonly HeldAnswer[];
  link?: Partial<Link>;
  at?: string;
}

/** The page says which host it comes from. */
globalThis.location ??= { host: "127.0.0.1:4747" } as Location;

export async function draw(part: ReactNode, { states = [], held = [], link = {}, at = "/" }: Scripted = {}) {
  const house = { store: storeOf(states, link), client: {} as Client, answers: answersOf(held), outbox: noOutbox };
  const root = createRootRoute();
  const route = <P extends string>(path: P) => createRoute({ getParentRoute: () => root, path, component: () => part });
  const router = createRouter({
    routeTree: root.addChildren([route("/"), route("/agents/$agent/$view")]),
    history: createMemoryHistory({ initialEntries: [at] }),
  });
  await router.load();
  return renderToStaticMarkup(
    <StoreContext value={house}>
      {/* biome-ignore lint/suspicious/noExplicitAny: it is another router than the page's */}
      <RouterProvider router={router as any} />
    </StoreContext>,
  );
}

/** Only the words, with a blank between parts. */
export const wordsOf = (markup: string): string =>
  markup
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .replaceAll("&#x27;", "'")
    .trim();

function storeOf(states: readonly State[], link: Partial<Link>): Store {
  const views = new Map(states.map((state) => [state.agent!.id as string, { summary: summaryOf(state), state }]));
  const summaries = [...views.values()].map(({ summary }) => summary);
  const whole = { status: "live", ready: true, ...link } as Link;
  const streaming = {};
  return {
    subscribe: () => () => undefined,
    link: () => whole,
    summaries: () => summaries,
    agent: (id) => views.get(id),
    open: () => undefined,
    history: () => undefined,
    streaming: () => streaming,
    onEvent: () => () => undefined,
    start: () => undefined,
    close: () => undefined,
  };
}

const answersOf = (held: readonly HeldAnswer[]): Answers =>
  ({ subscribe: () => () => undefined, held: () => held, status: () => "held", undone: () => undefined }) as never;

const nothing: never[] = [];
const noOutbox = { subscribe: () => () => undefined, all: () => nothing } as unknown as Outbox;

/** Hooks that read the store. A component renders again only when the value of its hook changes. */
import { createContext, useContext, useEffect } from "react";
import type { Summary } from "../../api/agents.ts";
import type { Client } from "../../client/index.ts";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import { after, now } from "../platform.ts";
import type { Outbox } from "../talk/outbox.ts";
import { useFollowed } from "./follow.ts";
import type { Answers, HeldAnswer } from "./held.ts";
import type { AgentView, Link, Store, Streaming } from "./store.ts";

interface House {
  store: Store;
  client: Client;
  answers: Answers;
  outbox: Outbox;
}

export const StoreContext = createContext<House | null>(null);

function useHouse(): House {
  const house = useContext(StoreContext);
  if (!house) throw new Error("outside of the shell");
  return house;
}

export const useStore = (): Store => useHouse().store;
export const useClient = (): Client => useHouse().client;
export const useAnswers = (): Answers => useHouse().answers;
export const useOutbox = (): Outbox => useHouse().outbox;

/** Answers that can still be taken back. */
export function useHeld(): readonly HeldAnswer[] {
  const { subscribe, held } = useAnswers();
  return useFollowed(subscribe, held);
}

export function useLink(): Link {
  const store = useStore();
  return useFollowed(store.subscribe, store.link);
}

/** All agents at a glance, newest first; a new array when any of them changed. */
export function useSummaries(): readonly Summary[] {
  const store = useStore();
  return useFollowed(store.subscribe, store.summaries);
}

/** The agent as far as it is known; asks for its state. A new object when anything changed: memoise on it, not on the maps in it. */
export function useAgentView(agent: string): AgentView | undefined {
  const store = useStore();
  const view = useFollowed(store.subscribe, () => store.agent(agent));
  const there = view !== undefined;
  useEffect(() => {
    if (there) store.open(agent);
  }, [store, agent, there]);
  return view;
}

/** The state alone; nothing until it came. */
export const useAgent = (agent: string): State | undefined => useAgentView(agent)?.state;

/** The states that are there, by agent; for what looks at all of them. */
export function useStates(): readonly [agent: string, state: State][] {
  const store = useStore();
  return useSummaries().flatMap(({ id }) => {
    const state = store.agent(id)?.state;
    return state ? [[id, state] as [string, State]] : [];
  });
}

export interface Past {
  events: readonly Event[];
  status: "unread" | "loading" | "ready" | "failed";
  more: boolean;
  earlier(): Promise<void>;
}

/** Its events, the newest some thousands and earlier ones when asked for. */
export function useEvents(agent: string): Past {
  const store = useStore();
  const view = useAgentView(agent);
  const history = store.history(agent);
  const events = useFollowed(store.subscribe, () => history?.events() ?? none);
  const status = useFollowed(store.subscribe, () => history?.status() ?? "unread");
  const seq = view?.state?.seq;
  useEffect(() => {
    if (seq !== undefined && status === "unread") history?.load(seq);
  }, [history, seq, status]);
  return { events, status, more: history?.more() ?? false, earlier: () => history?.earlier() ?? Promise.resolve() };
}

const none: readonly Event[] = [];

/** Words that are being said right now, by participant. */
export function useStreaming(agent: string): Readonly<Record<string, Streaming>> {
  const store = useStore();
  return useFollowed(store.subscribe, () => store.streaming(agent));
}

/** The time, anew every so often: for ages. */
export function useNow(everyMs = 10_000): number {
  return useFollowed(
    (changed) => {
      let cancel: () => void = () => undefined;
      const again = () => {
        cancel = after(everyMs, () => {
          changed();
          again();
        });
      };
      again();
      return () => cancel();
    },
    () => Math.floor(now() / everyMs) * everyMs,
  );
}

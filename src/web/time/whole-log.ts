/** The whole log of an agent, read once and kept up to date by the stream: its past and its timeline. */
import { useEffect, useState } from "react";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { after } from "../platform.ts";
import { useClient, useStore } from "../store/hooks.ts";
import { createPast, type Past } from "./past.ts";
import { createTimeline, type Timeline } from "./timeline.ts";

export interface WholeLog {
  past: Past;
  timeline: Timeline;
  /** Another one whenever something was added. */
  version: number;
  status: "loading" | "ready" | "failed";
  problem?: Problem;
}

/** So often is the page told at most. */
const pauseMs = 60;

export function useWholeLog(agent: string): WholeLog {
  const client = useClient();
  const store = useStore();
  const [log, setLog] = useState<WholeLog>(blank);
  useEffect(() => {
    const { past, timeline } = blank();
    const ending = new AbortController();
    const waiting: Event[] = [];
    let status: WholeLog["status"] = "loading";
    let version = 0;
    let told = false;
    const take = (event: Event) => {
      if (past.add(event)) timeline.take(event);
    };
    const tell = (problem?: Problem) => {
      if (told && !problem) return;
      told = true;
      after(pauseMs, () => {
        told = false;
        if (!ending.signal.aborted)
          setLog({ past, timeline, version: ++version, status, ...(problem ? { problem } : {}) });
      });
    };
    const unsubscribe = store.onEvent((id, event) => {
      if (id !== agent) return;
      if (status !== "ready") return void waiting.push(event);
      take(event);
      // Something was missed while the line was down: the rest is read again.
      if (event.seq > past.events().length) {
        waiting.push(event);
        status = "loading";
        void read();
      }
      tell();
    });
    async function read(): Promise<void> {
      try {
        for (;;) {
          const query = { after: String(past.events().length), limit: 1000 };
          const { items } = await client.listEvents({ params: { agent }, query, signal: ending.signal });
          for (const event of items) take(event as Event);
          if (items.length < 1000) break;
          tell();
        }
        for (const event of waiting.splice(0)) take(event);
        status = "ready";
        tell();
      } catch (error) {
        if (ending.signal.aborted) return;
        status = "failed";
        tell(error instanceof Problem ? error : new Problem("invalid", "The log could not be read"));
      }
    }
    void read();
    return () => {
      ending.abort();
      unsubscribe();
    };
  }, [client, store, agent]);
  return log;
}

const blank = (): WholeLog => ({ past: createPast(), timeline: createTimeline(), version: 0, status: "loading" });

/** The changes of one run of an agent, and the diff that is looked at: read from the daemon, and again after each event that may change them. */
import { useCallback, useEffect, useState } from "react";
import type { Changes } from "../../api/changes.ts";
import type { Diff } from "../../schema/diff.ts";
import { Problem } from "../../schema/problem.ts";
import { after } from "../platform.ts";
import { useClient, useStore } from "../store/hooks.ts";

export interface Read<T> {
  value?: T;
  problem?: Problem;
  again(): void;
}

const moving = /^(node\.(started|completed|failed|cancelled)|run\.|workspace\.)/;
/** Many events come at once. */
const settleMs = 250;

/** Of the current run if none is named. */
export function useChanges(agent: string, run?: string): Read<Changes> {
  const client = useClient();
  const [moves, again] = useMoves(agent);
  const get = useCallback(
    (signal: AbortSignal) => client.getChanges({ params: { agent }, query: run === undefined ? {} : { run }, signal }),
    [client, agent, run],
  );
  return { ...useRead(get, `${agent} ${moves}`), again };
}

/** Of a node, or of everything that was merged. `version`: what it is a diff of; nothing is read without one. */
export function useDiff(
  agent: string,
  node: string | undefined,
  version: string | undefined,
  run?: string,
): Omit<Read<Diff>, "again"> {
  const client = useClient();
  const get = useCallback(
    (signal: AbortSignal) =>
      node === undefined
        ? client.getDiff({ params: { agent }, query: run === undefined ? {} : { run }, signal })
        : client.getNodeDiff({ params: { agent, node }, query: run === undefined ? {} : { run }, signal }),
    [client, agent, node, run],
  );
  return useRead(get, version && `${agent} ${node ?? ""} ${version}`);
}

/** What was read for another key is not shown; what was read before for the same one stays until the new one is there. */
function useRead<T>(get: (signal: AbortSignal) => Promise<T>, key: string | undefined): Omit<Read<T>, "again"> {
  const [got, setGot] = useState<{ get: typeof get; value?: T; problem?: Problem }>();
  useEffect(() => {
    if (key === undefined) return;
    const ending = new AbortController();
    get(ending.signal).then(
      (value) => setGot({ get, value }),
      (error) => {
        if (ending.signal.aborted) return;
        const problem = error instanceof Problem ? error : new Problem("invalid", "The response could not be read");
        setGot({ get, problem });
      },
    );
    return () => ending.abort();
  }, [get, key]);
  return key === undefined || got?.get !== get ? {} : got;
}

/** Counts what happened that may have changed something. */
function useMoves(agent: string): [moves: number, again: () => void] {
  const store = useStore();
  const [moves, setMoves] = useState(0);
  const again = useCallback(() => setMoves((count) => count + 1), []);
  useEffect(() => {
    let cancel: (() => void) | undefined;
    const off = store.onEvent((of, { type }) => {
      if (of !== agent || !moving.test(type) || cancel) return;
      cancel = after(settleMs, () => {
        cancel = undefined;
        again();
      });
    });
    return () => {
      off();
      cancel?.();
    };
  }, [store, agent, again]);
  return [moves, again];
}

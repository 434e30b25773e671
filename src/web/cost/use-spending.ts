/** The cost of an agent over its life: fetched when the page opens, and again when one of its accounts changes. */
import { useEffect, useState } from "react";
import type { Spending } from "../../api/spending.ts";
import type { State } from "../../core/state.ts";
import { Problem } from "../../schema/problem.ts";
import { after } from "../platform.ts";
import { useClient } from "../store/hooks.ts";

const pauseMs = 600;
const most = 20;

export function useSpending(agent: string, state: State | undefined): { rows?: Spending[]; problem?: Problem } {
  const client = useClient();
  const [found, setFound] = useState<{ agent: string; rows?: Spending[]; problem?: Problem }>({ agent });
  const spent = state?.accounts.get("agent")?.spent;
  const mark = state && `${spent?.usd} ${spent?.tokens} ${state.run?.id}`;
  const fresh = found.agent !== agent || found.rows === undefined;
  useEffect(() => {
    if (mark === undefined) return;
    const ending = new AbortController();
    const cancel = after(fresh ? 0 : pauseMs, () => {
      read(client, agent, ending.signal).then(
        (rows) => ending.signal.aborted || setFound({ agent, rows }),
        (error: unknown) =>
          ending.signal.aborted ||
          setFound({ agent, problem: error instanceof Problem ? error : new Problem("unreachable", String(error)) }),
      );
    });
    return () => {
      cancel();
      ending.abort();
    };
    // What is there stays until the new one comes.
  }, [client, agent, mark]);
  return found.agent === agent ? found : {};
}

async function read(client: ReturnType<typeof useClient>, agent: string, signal: AbortSignal): Promise<Spending[]> {
  const rows: Spending[] = [];
  for (let cursor: string | undefined, pages = 0; pages < most; pages++) {
    const query = { limit: 500, ...(cursor === undefined ? {} : { cursor }) };
    const { items, next } = await client.listSpending({ params: { agent }, query, signal });
    rows.push(...items);
    if (next === null) break;
    cursor = next;
  }
  return rows;
}

/** Spending, computed from the log: read once and then incrementally, cached for the most recently requested agents. */
import { createLedger, type Ledger, type spendingRoutes } from "../../api/spending.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { eventPage } from "../stream/event-page.ts";
import { assertKnown } from "./agents.ts";
import { pageOf } from "./page-cursor.ts";

const mostAgents = 16;
const perPage = 1_000;
const paid = /^turn\./;

export function spendingHandlers({ runtime }: Pick<Served, "runtime">): Handlers<typeof spendingRoutes> {
  const known = new Map<string, { ledger: Ledger; seq: number; reading: Promise<void> }>();

  /** Serialised per agent, so that no event counts twice. */
  async function ledgerOf(agent: string, signal: AbortSignal): Promise<Ledger> {
    const entry = known.get(agent) ?? { ledger: createLedger(), seq: 0, reading: Promise.resolve() };
    known.delete(agent);
    known.set(agent, entry);
    for (const oldest of known.keys()) if (known.size > mostAgents) known.delete(oldest);
    const read = async () => {
      for (let more = true; more && !signal.aborted; ) {
        const wants = (type: string) => paid.test(type);
        const page = await eventPage({ runtime, agent, after: entry.seq, wants, limit: perPage, signal });
        for (const event of page.items) entry.ledger.take(event);
        entry.seq = Number(page.after);
        more = page.next !== null;
      }
    };
    entry.reading = entry.reading.then(read, read);
    await entry.reading;
    return entry.ledger;
  }

  return {
    async listSpending({ params: { agent }, query: { run, ...paging }, signal }) {
      assertKnown(runtime, agent);
      const items = (await ledgerOf(agent, signal)).items();
      return pageOf("spending", run === undefined ? items : items.filter((one) => one.run === run), paging);
    },
  };
}

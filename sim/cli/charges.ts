/**
 * What agent CLIs use is charged once: what the log settles for a conversation is what its program says it has used in all, what it settles for a
 * call through our gateway is what the provider counted, and the agent's account is the sum of what the log charges. A call whose end nobody heard, of
 * a program or of a reviewer, is charged what was reserved for it.
 */
import type { State } from "../../src/core/state.ts";
import type { Line } from "../history.ts";
import { type Bearer, turnsIn } from "./logged.ts";

/** With a conversation: its total so far, as its program said. Without: one call through the gateway. */
export interface Charged extends Bearer {
  conversation?: string;
  usd: number;
  /** Its turn ended well by this. */
  isDone: boolean;
}

interface Amount {
  usd: number;
  tokens: number;
}

export function checkCharges(
  lines: readonly Line[],
  charged: readonly Charged[],
  state: State | undefined,
  violated: (invariant: string, what: string) => void,
): void {
  const turns = turnsIn(lines);
  const near = (a: number, b: number) => Math.abs(a - b) < 1e-7;
  const calls = charged.filter(({ conversation }) => conversation === undefined).map(({ usd }) => usd);
  /** Of each participant: its conversation, with what was settled for it. */
  const settled = new Map<string, { session: string; usd: number; counted: number }>();
  const reserved = new Map<string, { turn: string; usd: number }>();
  /** The review under way of each node. */
  const reviews = new Map<string, { check: unknown; usd: number }>();
  let total = 0;
  for (const { seq, type, run = "", data } of lines) {
    const who = `${run} ${data.participant}`;
    const turn = `${run} ${data.turn}`;
    const cost = (data.cost ?? data.lost) as Amount | undefined;
    if (cost) total += cost.usd;
    if (type === "program.opened" && settled.get(who)?.session !== data.session)
      settled.set(who, { session: data.session as string, usd: 0, counted: 0 });
    if (type === "program.reserved") reserved.set(`${run} ${data.call}`, { turn, usd: (data.reserved as Amount).usd });
    if (type === "program.settled" && data.call !== undefined) {
      if (!reserved.delete(`${run} ${data.call}`)) violated("charge", `${data.call} was settled twice (event ${seq})`);
      const at = calls.findIndex((usd) => near(usd, cost!.usd));
      if (at < 0)
        violated("charge", `event ${seq} settles ${cost!.usd}, and no call cost that, or one did and is settled`);
      else calls.splice(at, 1);
    } else if (type === "program.settled") {
      const known = settled.get(who);
      if (known) known.usd += cost!.usd;
      if (known) known.counted = (data.counted as { usd: number }).usd;
      if (!known || !near(known.usd, known.counted))
        violated("charge", `event ${seq}: ${known?.usd} were charged for a conversation that used ${known?.counted}`);
    }
    if (/^turn\.(answered|failed|retried|resumed)$/.test(type))
      for (const [call, one] of reserved) {
        if (one.turn !== turn) continue;
        total += one.usd;
        reserved.delete(call);
      }
    const node = `${run} ${data.node}`;
    if (type === "check.started") reviews.set(node, { check: data.check, usd: (data.reserved as Amount).usd });
    if (/^(check\.ended|node\.(completed|failed|cancelled|retried)|run\.(completed|stopped))$/.test(type))
      for (const [place, { check, usd }] of reviews) {
        if ((place !== node && !type.startsWith("run.")) || (data.check ?? check) !== check) continue;
        if (!data.cost) total += usd;
        reviews.delete(place);
      }
    if (type === "turn.answered" && !turns.get(turn)?.isFinal) {
      const known = settled.get(who);
      const said = charged.findLast((one) => `${one.run} ${one.turn}` === turn && one.conversation);
      if (said?.isDone && known?.session === said.conversation && !near(known!.counted, said.usd))
        violated("charge", `${data.turn}: ${known!.counted} were charged, and its program said ${said.usd}`);
    }
  }
  const account = state?.accounts.get("agent");
  if (account && !near(account.spent.usd, total))
    violated("charge", `the agent's account says ${account.spent.usd}, and the log charges ${total}`);
}

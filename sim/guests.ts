/**
 * Guests, judged at the end from the raw logs of both sides: a lasting agent takes its turns in its own log alone, and a team counts something as handled
 * only after that agent has read it and said so.
 *
 * Not here: what a team sent arrives once and in order (mail.ts), one turn at a time (history.ts).
 */
import type { Line } from "./history.ts";
import type { Witness } from "./witness.ts";

export function judgeGuests(logs: ReadonlyMap<string, readonly Line[]>, witness: Witness): void {
  const violated = (what: string) => witness.violated("guest", what);
  /** What each guest has reported, by `guest team`. */
  const reports = new Map([...logs].flatMap(([agent, lines]) => [...checkReports(agent, lines, violated)]));
  for (const [agent, lines] of logs) {
    let guests = new Map<string, string>();
    for (const { seq, type, data } of lines) {
      if (type === "run.started") guests = new Map();
      if (type === "worker.spawned" && data.ref) guests.set(String(data.worker), String(data.ref));
      const guest = guests.get(String(data.participant));
      if (guest === undefined) continue;
      if (type.startsWith("turn.") || type.startsWith("tool."))
        violated(`${agent}: ${guest} has a loop here, too: ${type}, event ${seq}`);
      if (type === "inbox.acked" && !reports.get(`${guest} ${agent}`)?.has(Number(data.upto)))
        violated(`${agent}: ${guest} has handled ${String(data.upto)}, and did not say so, event ${seq}`);
      if (type === "inbox.acked") witness.count("guest handled");
    }
  }
}

/** Reports go forwards, and each comes after what it reports was read; unless the run ended, or the team allows no more turns. */
function checkReports(
  agent: string,
  lines: readonly Line[],
  violated: (what: string) => void,
): ReadonlyMap<string, ReadonlySet<number>> {
  const reports = new Map<string, Set<number>>();
  /** The last message of each team, here and there. */
  const teams = new Map<string, { here: number; there: number; isLimited: boolean }>();
  /** How far the turns that were started have read, and whether they are open. */
  let [read, open, isOpen] = [0, "", false];
  for (const { seq, type, data } of lines) {
    const mail = data.mail as { origin?: { seq: number }; team?: { max_turns?: number } } | undefined;
    if (type === "message.posted" && mail?.origin && mail.team)
      teams.set(String(data.from).replace("agent:", ""), {
        ...{ here: seq, there: mail.origin.seq, isLimited: mail.team.max_turns !== undefined },
      });
    if (type === "run.started" || type === "agent.reopened") isOpen = true;
    if (/^run\.(completed|stopped)$/.test(type)) isOpen = false;
    // A turn reads when it starts, with the result of a call, or in between if a program takes it.
    if (data.participant === "coordinator") read = Math.max(read, Number(data.upto ?? 0));
    if (type === "turn.started" && data.participant === "coordinator") open = String(data.turn);
    if ((type === "turn.ended" || type === "turn.failed") && data.turn === open) open = "";
    if (type !== "membership.handled") continue;
    const team = String(data.team);
    const last = teams.get(team);
    const known = reports.get(`${agent} ${team}`) ?? new Set<number>();
    const what = `${agent}: ${String(data.upto)} of ${team} is handled, event ${seq}`;
    if (Number(data.upto) !== last?.there) violated(`${what}, and the last one received is ${last?.there}`);
    else if (Math.max(0, ...known) >= last.there) violated(`${what}, again`);
    else if (isOpen && !last.isLimited && (read < last.here || open !== ""))
      violated(`${what}; it is event ${last.here}, read up to ${read}, in turn ${open || "none"}`);
    reports.set(`${agent} ${team}`, known.add(Number(data.upto)));
  }
  return reports;
}

/**
 * Mail between agents, judged at the end from the raw logs of all of them: what one sent and what another received must be the same.
 *
 * Each message to an agent is either delivered, then it stands in the other log once, after all that the same sender delivered before; or refused,
 * then it does not stand there. Nothing stands in a log as received that its sender did not send.
 */
import type { Line } from "./history.ts";
import type { Witness } from "./witness.ts";

interface Mail {
  hops: number;
  notice?: true;
  origin?: { born: string; seq: number };
}
const prefix = "agent:";

export function judgeMail(logs: ReadonlyMap<string, readonly Line[]>, mostHops: number, witness: Witness): void {
  const violated = (what: string) => witness.violated("mail", what);
  /** `seq/recipient` of each sender, with the text; and what became of it. */
  const sent = new Map<string, string>();
  const ended = new Map<string, string>();
  const received = new Set<string>();

  for (const [agent, lines] of logs)
    for (const { seq, type, data } of lines) {
      const mail = data.mail as Mail | undefined;
      if (type === "message.posted" && mail && !mail.origin) {
        if (mail.hops > mostHops) violated(`${agent}: event ${seq} is the ${mail.hops}th message of a chain`);
        for (const to of (data.to as string[]).filter((one) => one.startsWith(prefix)))
          sent.set(`${agent} ${seq}/${to.slice(prefix.length)}`, String(data.text));
      }
      if (type !== "outbox.delivered" && type !== "outbox.refused") continue;
      const outgoing = `${agent} ${String(data.outgoing)}`;
      if (!sent.has(outgoing)) violated(`${outgoing} ended and was never sent`);
      if (ended.has(outgoing)) violated(`${outgoing} ended twice`);
      ended.set(outgoing, type);
      if (type === "outbox.refused") witness.count("letter refused");
    }

  for (const [agent, lines] of logs) {
    const last = new Map<string, number>();
    for (const { seq, type, data } of lines) {
      const mail = data.mail as Mail | undefined;
      if (type !== "message.posted" || !mail?.origin) continue;
      const sender = String(data.from).slice(prefix.length);
      const outgoing = `${sender} ${mail.origin.seq}/${agent}`;
      if (sent.get(outgoing) !== String(data.text))
        violated(`${agent}: event ${seq} is from ${sender}, who never sent it`);
      if (received.has(outgoing)) violated(`${outgoing} was received twice, again as event ${seq}`);
      if (mail.origin.seq < (last.get(sender) ?? 0)) violated(`${outgoing} was received after a later one`);
      last.set(sender, Math.max(last.get(sender) ?? 0, mail.origin.seq));
      received.add(outgoing);
      witness.count("letter received");
    }
  }

  for (const outgoing of sent.keys()) {
    const end = ended.get(outgoing);
    if (end === undefined) violated(`${outgoing} was neither delivered nor refused`);
    if (end === "outbox.delivered" && !received.has(outgoing)) violated(`${outgoing} was delivered and is not there`);
    if (end === "outbox.refused" && received.has(outgoing)) violated(`${outgoing} was refused and is there`);
  }
}

/**
 * Mail between agents, judged at the end from the raw logs of all of them: what one sent and what another received must be the same.
 *
 * Each message to an agent is either delivered, then it stands in the other log once, after all that the same sender delivered before; or refused,
 * then it does not stand there. Nothing stands in a log as received that its sender did not send. What a team sends to a guest (`ref`) is mail, too: whatever
 * enters its inbox there; and so are the guest's votes and reports.
 */
import type { Line } from "./history.ts";
import type { Witness } from "./witness.ts";

interface Mail {
  hops: number;
  notice?: true;
  origin?: { born: string; seq: number; agent?: string };
  team?: object;
}
const prefix = "agent:";
/** What is never news for others. */
const isOwn = /^(turn|tool|outbox|inbox\.acked|membership)/;

export function judgeMail(logs: ReadonlyMap<string, readonly Line[]>, mostHops: number, witness: Witness): void {
  const violated = (what: string) => witness.violated("mail", what);
  /** `seq/recipient` of each sender, with the text or what says whether it is that; and what became of it. */
  const sent = new Map<string, (text: string) => boolean>();
  const ended = new Map<string, string>();
  const received = new Set<string>();
  const reports = new Set<string>();
  const refs = new Map(
    [...logs].map(([agent, lines]) => [
      agent,
      new Set(lines.flatMap(({ type, data }) => (type === "worker.spawned" && data.ref ? [String(data.ref)] : []))),
    ]),
  );

  for (const [agent, lines] of logs) {
    /** Guests of the run, by their name there. */
    let guests = new Map<string, string>();
    for (const { seq, type, data } of lines) {
      if (type === "run.started") guests = new Map();
      if (type === "worker.spawned" && data.ref) guests.set(String(data.worker), String(data.ref));
      if (type === "worker.retired") guests.delete(String(data.worker));
      if (type === "message.posted")
        for (const to of (data.to as string[]).filter((one) => one !== data.from && guests.has(one)))
          sent.set(`${agent} ${seq}/${guests.get(to)}`, (text) => text.includes(String(data.text).slice(0, 100)));
      if (type === "membership.handled" || type === "membership.voted") {
        sent.set(`${agent} ${seq}/${String(data.team)}`, () => false);
        reports.add(`${agent} ${seq}/${String(data.team)}`);
      }
      const mail = data.mail as Mail | undefined;
      if (type === "message.posted" && mail && !mail.origin) {
        if (mail.hops > mostHops) violated(`${agent}: event ${seq} is the ${mail.hops}th message of a chain`);
        for (const to of (data.to as string[]).filter((one) => one.startsWith(prefix)))
          sent.set(`${agent} ${seq}/${to.slice(prefix.length)}`, (text) => text === String(data.text));
      }
      if (type !== "outbox.delivered" && type !== "outbox.refused") continue;
      const outgoing = `${agent} ${String(data.outgoing)}`;
      // News of the team: a vote, a document, a node.
      const news = lines[Number.parseInt(String(data.outgoing), 10) - 1];
      if (!sent.has(outgoing) && refs.get(agent)?.has(outgoing.split("/")[1]!) && news && !isOwn.test(news.type))
        sent.set(outgoing, () => true);
      if (!sent.has(outgoing)) violated(`${outgoing} ended and was never sent`);
      if (ended.has(outgoing)) violated(`${outgoing} ended twice`);
      ended.set(outgoing, type);
      if (type === "outbox.refused") witness.count("letter refused");
    }
  }

  for (const [agent, lines] of logs) {
    const last = new Map<string, number>();
    for (const { seq, type, data } of lines) {
      const mail = data.mail as Mail | undefined;
      if (type !== "message.posted" || !mail?.origin) continue;
      const sender = mail.origin.agent ?? String(data.from).slice(prefix.length);
      const outgoing = `${sender} ${mail.origin.seq}/${agent}`;
      if (!sent.get(outgoing)?.(String(data.text)))
        violated(`${agent}: event ${seq} is from ${sender}, who never sent it`);
      if (received.has(outgoing)) violated(`${outgoing} was received twice, again as event ${seq}`);
      if (mail.origin.seq < (last.get(sender) ?? 0)) violated(`${outgoing} was received after a later one`);
      last.set(sender, Math.max(last.get(sender) ?? 0, mail.origin.seq));
      received.add(outgoing);
      witness.count(mail.team ? "news of a team" : mail.origin.agent ? "word of a guest" : "letter received");
    }
  }

  for (const outgoing of sent.keys()) {
    const end = ended.get(outgoing);
    if (end === undefined) violated(`${outgoing} was neither delivered nor refused`);
    if (end === "outbox.delivered" && !received.has(outgoing) && !reports.has(outgoing))
      violated(`${outgoing} was delivered and is not there`);
    if (end === "outbox.refused" && received.has(outgoing)) violated(`${outgoing} was refused and is there`);
  }
}

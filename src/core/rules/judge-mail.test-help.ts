/** What must hold of messages, inboxes, questions, hosts and deliveries. */
import type { Event } from "../../schema/event.ts";
import type { Judge, Rules } from "./judge.test-help.ts";

export function seeMail(judge: Judge, event: Event, { rule, absorbs }: Rules): void {
  switch (event.type) {
    case "inbox.acked": {
      const { participant, upto } = event.data;
      rule(upto > (judge.read.get(participant) ?? 0) && upto < event.seq, "it goes forward, not into the future");
      judge.read.set(participant, upto);
      break;
    }
    case "inbox.deferred": {
      const { participant, entry } = event.data;
      rule(!judge.putOff.has(`${participant} ${entry.seq}`), "an entry is put off once");
      rule((entry.deferred ?? 0) <= 3, "and comes back three times at most");
      judge.putOff.add(`${participant} ${entry.seq}`);
      break;
    }
    case "inbox.returned":
      rule(judge.putOff.has(`${event.data.participant} ${event.data.entry.seq}`), "what comes back was put off");
      break;
    case "outbox.delivered":
    case "outbox.refused":
      rule(judge.leaving.delete(event.data.outgoing), "what was delivered or refused was on its way");
      break;
    case "message.posted":
      absorbs(judge.run, "open", "completed");
      rule(event.data.message === `m${++judge.messages}`, "messages are numbered");
      if (event.data.kickoff) {
        rule(!judge.kicked, "a team is kicked off once");
        judge.kicked = true;
      }
      if (event.data.from === "human") judge.word = event.seq;
      judge.seeMail(event, rule);
      for (const id of event.data.to)
        rule(id.startsWith("agent:") || judge.people.get(id)?.retired === false, `${id} reads mail`);
      rule(!event.data.to.includes(event.data.from), "nobody writes to themselves");
      break;
    case "question.asked":
      absorbs(judge.run, "open");
      rule(!judge.questions.has(event.data.question), "an id is used once");
      judge.questions.set(event.data.question, "open");
      if (event.data.host) {
        const { subject } = event.data.host;
        const twice = [...judge.hosts.values()].some((one) => one.subject === subject && one.answer === undefined);
        rule(!twice, "nobody is asked about a host twice at a time");
        judge.hosts.set(event.data.question, { subject });
      }
      judge.asked.set(event.data.question, {
        seq: event.seq,
        wanted: event.data.channel,
        concern: event.data.approves || event.data.host ? "approvals" : "questions",
      });
      for (const name of judge.wanting(
        event.data.channel,
        event.data.approves || event.data.host ? "approvals" : "questions",
      ))
        judge.owed.set(`${event.seq}/${name}`, event.data.question);
      break;
    case "host.opened": {
      const { question, call } = event.data;
      const host = question === undefined ? undefined : judge.hosts.get(question);
      rule(question === undefined || /^(this time|this run|always)$/.test(host?.answer ?? ""), "a person allowed it");
      rule(host?.answer !== "this time" || (host.used ?? call) === call, "once is for one command");
      if (host) host.used = call;
      break;
    }
    case "host.kept":
      rule(judge.unkept.delete(event.data.subject), "a person allowed it for good");
      break;
    case "question.answered":
    case "question.expired":
      absorbs(judge.questions.get(event.data.question), "open");
      judge.questions.set(event.data.question, event.type.slice(9));
      if (judge.hosts.has(event.data.question)) {
        const host = judge.hosts.get(event.data.question)!;
        host.answer = event.type === "question.answered" ? event.data.answer : "expired";
        if (host.answer === "always") judge.unkept.add(host.subject);
      }
      for (const [id, question] of judge.owed) if (question === event.data.question) judge.owed.delete(id);
      break;
    case "delivery.routed":
      for (const [question, { seq, wanted, concern }] of judge.asked) {
        const before = judge.wanting(wanted, concern);
        const now = judge.wanting(wanted, concern, new Map(Object.entries(event.data.channels)));
        for (const name of judge.questions.get(question) === "open" ? now : [])
          if (!before.includes(name) && !judge.ended.has(`${seq}/${name}`)) judge.owed.set(`${seq}/${name}`, question);
      }
      judge.channels = new Map(Object.entries(event.data.channels));
      for (const id of judge.owed.keys()) if (!judge.channels.has(id.split("/")[1]!)) judge.owed.delete(id);
      break;
    case "delivery.sent":
    case "delivery.failed": {
      const { delivery: id } = event.data;
      rule(judge.channels.has(id.split("/")[1]!), "its channel is known");
      rule(
        Number(id.split("/")[0]) < event.seq && !judge.ended.has(id),
        "a delivery ends once, after what it tells of",
      );
      if (event.type === "delivery.failed" && event.data.next_at) {
        const wait = Date.parse(event.data.next_at) - Date.parse(event.ts);
        rule(
          wait >= 60_000 && wait <= 7_200_000 && event.data.attempts < 12,
          "a minute to two hours, at most 12 times",
        );
      } else {
        judge.ended.add(id);
        judge.owed.delete(id);
      }
      break;
    }
  }
}

/** What must hold of workers, insights, reflections and proposals. */
import type { Event } from "../../schema/event.ts";
import type { Judge, Rules } from "./judge.test-help.ts";
import { sameName } from "./judge-words.test-help.ts";

export function seeTeam(judge: Judge, event: Event, { rule, absorbs }: Rules): void {
  switch (event.type) {
    case "insight.proposed": {
      const { insight, outside } = event.data;
      const before = judge.insights.get(insight);
      rule(before === undefined || before.status === "open", "what is decided is not proposed again");
      judge.insights.set(insight, { status: "open", outside: outside !== undefined });
      break;
    }
    case "insight.accepted":
    case "insight.declined": {
      const before = judge.insights.get(event.data.insight)!;
      absorbs(before.status, "open");
      const isAccepted = event.type === "insight.accepted";
      rule(
        !isAccepted || !before.outside || event.actor === "human",
        "only the human accepts what strangers may have said",
      );
      before.status = isAccepted ? "accepted" : "declined";
      break;
    }
    case "reflection.started": {
      const { node, reserved } = event.data;
      rule(!judge.reflection, "one reflection at a time");
      judge.reflection = { node, reserved, day: event.ts.slice(0, 10) };
      judge.pay("coordinator", judge.reflection, reserved, rule);
      break;
    }
    case "reflection.ended": {
      const { reserved } = judge.reflection!;
      const { cost } = event.data;
      judge.pay("coordinator", judge.reflection!, {
        usd: cost.usd - reserved.usd,
        tokens: cost.tokens - reserved.tokens,
      });
      judge.reflection = undefined;
      break;
    }
    case "worker.spawned": {
      const { worker, name, budget } = event.data;
      absorbs(judge.run, "open");
      rule(!judge.people.has(worker), "an id is used once");
      for (const [id, one] of judge.people) {
        rule(!sameName(one.name, name) && !sameName(id, name) && !sameName(one.name, worker), `${name} is ${one.name}`);
      }
      judge.people.set(worker, { name, retired: false });
      if (budget) judge.purses.set(`worker:${worker}`, { limit: budget, usd: 0, tokens: 0 });
      break;
    }
    case "worker.retired":
      rule(judge.people.get(event.data.worker)?.retired === false, "it is retired once");
      rule(!judge.holds(event.data.worker), "it holds no node");
      judge.people.get(event.data.worker)!.retired = true;
      break;
    case "proposal.created":
      absorbs(judge.run, "open");
      rule(!judge.proposals.has(event.data.proposal), "an id is used once");
      for (const id of event.data.voters) rule(judge.people.get(id)?.retired === false, `${id} can vote`);
      judge.proposals.set(event.data.proposal, { status: "open", missing: new Set(event.data.voters) });
      break;
    case "proposal.applied":
      absorbs(judge.run, "open");
      absorbs(judge.proposals.get(event.data.proposal)?.status, "settled");
      rule(!judge.applied.has(event.data.proposal), "it takes effect once");
      judge.applied.add(event.data.proposal);
      break;
    case "proposal.voted":
    case "proposal.settled":
    case "proposal.withdrawn":
      if (event.type !== "proposal.withdrawn") absorbs(judge.run, "open");
      absorbs(judge.proposals.get(event.data.proposal)?.status, "open");
      if (event.type === "proposal.voted") judge.proposals.get(event.data.proposal)!.missing.delete(event.data.voter);
      else judge.proposals.get(event.data.proposal)!.status = event.type.slice(9);
      break;
  }
}

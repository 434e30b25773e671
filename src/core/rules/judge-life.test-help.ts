/** What must hold of the agent, its runs, budgets, documents, cycles and triggers. */
import type { Event } from "../../schema/event.ts";
import type { Judge, Rules } from "./judge.test-help.ts";
import { same, sameName } from "./judge-words.test-help.ts";

export function seeLife(judge: Judge, event: Event, { rule, absorbs }: Rules): void {
  switch (event.type) {
    case "agent.created":
      absorbs(judge.agent, "none");
      judge.agent = "active";
      if (event.data.budget) judge.purses.set("agent", { limit: event.data.budget, usd: 0, tokens: 0 });
      break;
    case "agent.paused":
      absorbs(judge.agent, "active");
      judge.agent = "paused";
      break;
    case "agent.resumed":
      absorbs(judge.agent, "paused", "stopped");
      if (judge.preparing) judge.preparing.failed = false;
      judge.agent = "active";
      break;
    case "agent.stopped":
      absorbs(judge.agent, "active", "paused");
      judge.agent = "stopped";
      break;
    case "agent.completed":
      absorbs(judge.agent, "active", "paused", "stopped");
      absorbs(judge.run, "completed");
      judge.agent = "completed";
      break;
    case "agent.reopened":
      absorbs(judge.run, "completed");
      // What was checked was the last answer.
      for (const key of [...judge.outcomes.keys()]) if (key.startsWith("run ")) judge.outcomes.delete(key);
      judge.run = "open";
      judge.agent = "active";
      break;
    case "agent.archived":
      rule(judge.agent !== "archived", "it is archived once");
      judge.owed.clear();
      judge.preparing = undefined;
      judge.agent = "archived";
      break;
    case "run.preparing": {
      const { run, team } = event.data;
      rule(judge.run !== "open", "one run is open at a time");
      rule(!judge.preparing || judge.agent === "stopped", "one run is prepared at a time");
      rule(!judge.runs.has(run), "an id is used once");
      absorbs(judge.agent, "active", "stopped", "completed", "failed");
      judge.preparing = { run, steps: team.setup?.length ?? 0, passed: 0, failed: false };
      judge.agent = "active";
      break;
    }
    case "setup.ended": {
      const { run, step, outcome } = event.data;
      const at = judge.preparing;
      rule(
        at?.run === run && !at.failed && step === at.passed + 1 && step <= at.steps,
        "steps come one after the other",
      );
      if (outcome === "passed") at!.passed++;
      else at!.failed = true;
      break;
    }
    case "run.started":
      rule(judge.run !== "open", "one run is open at a time");
      rule(
        judge.preparing
          ? judge.preparing.run === event.data.run && judge.preparing.passed === judge.preparing.steps
          : true,
        "it starts when its setup has passed",
      );
      rule(
        judge.preparing || !(event.data.team?.setup?.length || event.data.team?.documents?.length),
        "what must be prepared is prepared",
      );
      same(event.data.setup?.length ?? 0, judge.preparing?.steps ?? 0, "what came of its setup");
      judge.preparing = undefined;
      rule(!judge.runs.has(event.data.run), "an id is used once");
      for (const [id, status] of judge.questions) rule(status !== "open", `${id} is closed before the next run`);
      for (const [id, { status }] of judge.proposals) rule(status !== "open", `${id} is closed before the next run`);
      judge.cycles = 0;
      judge.kicked = false;
      judge.beats.clear();
      judge.runs.add(event.data.run);
      absorbs(judge.agent, "active", "stopped", "completed", "failed");
      for (const map of [
        judge.nodes,
        judge.urged,
        judge.planned,
        judge.stages,
        judge.questions,
        judge.hosts,
        judge.asked,
        judge.owed,
        judge.proposals,
        judge.applied,
        judge.suggestions,
        judge.documents,
        judge.read,
        judge.turns,
        judge.full,
        judge.outcomes,
      ])
        map.clear();
      judge.people = new Map([
        ["human", { name: "Human", retired: false }],
        ...(event.data.team?.lead === false ? [] : [["coordinator", { name: "Coordinator", retired: false }] as const]),
      ]);
      for (const key of judge.purses.keys()) if (/^(run$|node:|worker:)/.test(key)) judge.purses.delete(key);
      for (const purse of judge.purses.values()) rule(purse.usd >= 0, "nothing is left reserved");
      rule(judge.reviews.size === 0, "no review is open");
      judge.reflection = undefined;
      if (event.data.budget) judge.purses.set("run", { limit: event.data.budget, usd: 0, tokens: 0 });
      judge.run = "open";
      judge.agent = "active";
      break;
    case "run.stopped":
      absorbs(judge.run, "open");
      absorbs(judge.agent, "stopped", "archived");
      judge.run = "stopped";
      judge.reviews.clear();
      break;
    case "run.completed":
      absorbs(judge.run, "open");
      judge.reviews.clear();
      rule(
        judge.proves(event.data.evidence, event.data.claimed ?? []),
        "its answer is not more than what it is made of",
      );
      judge.run = "completed";
      judge.end = event.seq;
      break;
    case "trigger.created":
      rule(!judge.triggers.has(event.data.trigger), "an id is used once");
      judge.triggers.set(event.data.trigger, "active");
      break;
    case "trigger.fired":
      rule(!judge.fires.has(event.data.fire), "a fire happens once");
      judge.fires.add(event.data.fire);
      absorbs(judge.triggers.get(event.data.trigger), "active");
      break;
    case "trigger.failed":
      rule(judge.fires.has(event.data.fire), "it fired");
      break;
    case "cycle.began":
      absorbs(judge.agent, "active");
      absorbs(judge.run, "open");
      rule(event.data.cycle === ++judge.cycles, "cycles are numbered");
      rule(event.data.at <= event.ts, "it is never early");
      rule(!judge.beats.has(event.data.at), "a beat has one cycle");
      judge.beats.add(event.data.at);
      rule(!judge.turns.has("coordinator"), "nobody is woken who is awake");
      break;
    case "trigger.missed":
      absorbs(judge.triggers.get(event.data.trigger), "active");
      break;
    case "trigger.disarmed":
      absorbs(judge.triggers.get(event.data.trigger), "active");
      judge.triggers.set(event.data.trigger, "disarmed");
      break;
    case "trigger.armed":
      absorbs(judge.triggers.get(event.data.trigger), "disarmed");
      judge.triggers.set(event.data.trigger, "active");
      break;
    case "trigger.expired":
      absorbs(judge.triggers.get(event.data.trigger), "active");
      judge.triggers.set(event.data.trigger, "expired");
      break;
    case "trigger.cancelled":
      absorbs(judge.triggers.get(event.data.trigger), "active", "disarmed");
      judge.triggers.set(event.data.trigger, event.type.slice(8));
      break;
    case "document.written": {
      const { document, version } = event.data;
      rule(version === (judge.documents.get(document) ?? 0) + 1, "versions are dense");
      for (const other of judge.documents.keys())
        rule(other === document || !sameName(other, document), `it is ${other}`);
      judge.documents.set(document, version);
      break;
    }
    case "document.removed":
      rule(judge.documents.delete(event.data.document), "it was there");
      break;
    case "budget.set": {
      const { scope, limit } = event.data;
      if (scope.of === "node") rule(judge.nodes.has(scope.node), "the node is known");
      if (scope.of === "worker") rule(judge.people.has(scope.worker), "the worker is known");
      const key =
        scope.of === "node" ? `node:${scope.node}` : scope.of === "worker" ? `worker:${scope.worker}` : scope.of;
      judge.purses.set(key, { usd: 0, tokens: 0, ...judge.purses.get(key), limit });
    }
  }
}

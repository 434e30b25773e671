/** What must hold of nodes, their checks, stages and suggestions. */
import type { Event } from "../../schema/event.ts";
import type { Judge, Rules } from "./judge.test-help.ts";
import { same } from "./judge-words.test-help.ts";

export function seeBoard(judge: Judge, event: Event, { rule, absorbs }: Rules): void {
  switch (event.type) {
    case "node.created": {
      const { node, depends_on: needs, stage, refs, parent, planned } = event.data;
      absorbs(judge.run, "open");
      rule(!judge.nodes.has(node), "an id is used once");
      rule(planned === undefined || !judge.planned.has(planned), "what is written down comes once");
      if (planned !== undefined) judge.planned.add(planned);
      for (const id of [...needs, ...(parent ? [parent] : [])]) rule(judge.nodes.has(id), `${id} is known`);
      for (const ref of Object.values(refs)) rule(needs.includes(ref.split("/")[0]!), "a ref is a dependency");
      const current = [...judge.stages].at(-1);
      rule(stage === (current?.[1].status === "completed" ? undefined : current?.[0]), "it is of the open stage");
      if (event.data.retry_of) {
        const before = judge.nodes.get(event.data.retry_of);
        rule(before && (before.partial || /failed|cancelled/.test(before.status)), "it stands in for what went wrong");
      }
      if (event.data.suggestion) {
        absorbs(judge.suggestions.get(event.data.suggestion), "open");
        judge.suggestions.set(event.data.suggestion, "taken");
      }
      judge.nodes.set(node, {
        needs,
        status: "pending",
        stage,
        left: event.data.max_turns,
        most: event.data.max_turns,
        checks: event.data.checks ?? [],
        fails: event.data.if_unverified === "fail",
        rejections: 0,
        replaces: [event.data.retry_of, event.data.again],
      });
      break;
    }
    case "node.assigned": {
      const { node, worker } = event.data;
      absorbs(judge.nodes.get(node)?.status, "pending");
      judge.inputs(node, rule);
      rule(judge.people.get(worker)?.retired === false, "the worker is there");
      rule(worker !== "human" && worker !== "coordinator", "workers do nodes");
      rule(!judge.holds(worker), `${worker} holds ${judge.holds(worker)}`);
      judge.nodes.set(node, { ...judge.nodes.get(node)!, status: "assigned", worker });
      break;
    }
    case "node.started":
      absorbs(judge.nodes.get(event.data.node)?.status, "assigned");
      rule(judge.nodes.get(event.data.node)?.worker === event.data.worker, "it is started by its assignee");
      judge.inputs(event.data.node, rule);
      judge.nodes.get(event.data.node)!.status = "running";
      break;
    case "node.wanted":
      absorbs(judge.nodes.get(event.data.node)?.status, "pending");
      rule(judge.people.get(event.data.worker)?.retired === false, "the worker is there");
      break;
    case "node.checkpointed":
      absorbs(judge.nodes.get(event.data.node)?.status, "running");
      rule(event.actor === judge.nodes.get(event.data.node)?.worker, "its assignee says so");
      judge.nodes.get(event.data.node)!.checkpoint = true;
      break;
    case "worker.urged":
      absorbs(judge.nodes.get(event.data.node)?.status, "running");
      rule(judge.nodes.get(event.data.node)?.worker === event.data.worker, "it holds the node");
      rule(!judge.urged.has(event.data.node), "it is urged once for each node");
      judge.urged.add(event.data.node);
      break;
    case "node.completed":
      absorbs(judge.nodes.get(event.data.node)?.status, "running");
      rule(event.actor === judge.nodes.get(event.data.node)?.worker, "it is published by its assignee");
      rule(event.data.worker === event.actor, "and in its name");
      judge.reviews.delete(event.data.node);
      judge.nodes.get(event.data.node)!.status = "completed";
      judge.nodes.get(event.data.node)!.partial = event.data.partial;
      judge.nodes.get(event.data.node)!.evidence = event.data.evidence;
      judge.proven(event.data.node, event.data.evidence, rule);
      break;
    case "node.rejected": {
      const node = judge.nodes.get(event.data.node)!;
      absorbs(node.status, "running");
      rule(event.actor === node.worker, "its assignee wanted to publish it");
      rule(event.data.attempt === ++node.rejections, "attempts are counted");
      rule(event.data.attempt < event.data.attempts, "there is another attempt");
      const outcome = (check: number) => judge.outcomes.get(`${event.data.node} ${event.data.on} ${check}`);
      rule(
        event.data.failed.length > 0 && event.data.failed.every((check) => outcome(check) === "failed"),
        "it failed",
      );
      break;
    }
    case "check.started": {
      const { node, check, by, payer, reserved, lost } = event.data;
      const place = node ?? "run";
      rule(judge.nodes.get(place)?.worker !== by, "its author does not review it");
      const before = judge.reviews.get(place);
      rule((lost === undefined) === (before === undefined), "an interrupted review is charged");
      if (before && lost)
        judge.pay(before.who, before, {
          usd: lost.usd - before.reserved.usd,
          tokens: lost.tokens - before.reserved.tokens,
        });
      const review = { who: payer, node, reserved, day: event.ts.slice(0, 10), check };
      judge.reviews.set(place, review);
      judge.pay(payer, review, reserved, rule);
      break;
    }
    case "check.ended": {
      const { node, check, on, by, what, outcome, cost } = event.data;
      const place = node ?? "run";
      const open = judge.reviews.get(place);
      if (node) absorbs(judge.nodes.get(node)?.status, "running");
      if (node) same(what, judge.nodes.get(node)?.checks[check - 1], "it is the check that was given");
      rule(!("review" in what) || judge.nodes.get(place)?.worker !== by, "its author does not review it");
      if (open?.check === check) {
        judge.reviews.delete(place);
        if (cost)
          judge.pay(open.who, open, {
            usd: cost.usd - open.reserved.usd,
            tokens: cost.tokens - open.reserved.tokens,
          });
      } else rule(!/passed|failed/.test(judge.outcomes.get(`${place} ${on} ${check}`) ?? ""), "it has one result");
      for (const key of [...judge.outcomes.keys()])
        if (key.startsWith(`${place} `) && !key.startsWith(`${place} ${on} `)) judge.outcomes.delete(key);
      judge.outcomes.set(`${place} ${on} ${check}`, outcome);
      break;
    }
    case "node.retried": {
      const node = judge.nodes.get(event.data.node)!;
      absorbs(node.status, "assigned", "running");
      rule(!node.again, "it is tried again as often as is allowed");
      judge.urged.delete(event.data.node);
      const { worker: _worker, ...rest } = node;
      judge.nodes.set(event.data.node, {
        ...rest,
        status: "pending",
        left: node.most,
        again: true,
        checkpoint: false,
        rejections: 0,
      });
      judge.reviews.delete(event.data.node);
      for (const key of [...judge.outcomes.keys()])
        if (key.startsWith(`${event.data.node} `)) judge.outcomes.delete(key);
      break;
    }
    case "suggestion.made":
      absorbs(judge.run, "open");
      rule(!judge.suggestions.has(event.data.suggestion), "an id is used once");
      judge.suggestions.set(event.data.suggestion, "open");
      break;
    case "suggestion.dismissed":
      absorbs(judge.suggestions.get(event.data.suggestion), "open");
      judge.suggestions.set(event.data.suggestion, "dismissed");
      break;
    case "node.failed":
    case "node.cancelled":
      absorbs(judge.nodes.get(event.data.node)?.status, "pending", "assigned", "running");
      judge.nodes.get(event.data.node)!.status = event.type.slice(5);
      judge.reviews.delete(event.data.node);
      break;
    case "stage.started":
      absorbs(judge.run, "open");
      for (const [id, { status }] of judge.stages) rule(status === "completed", `${id} is ${status}`);
      judge.stages.set(event.data.stage, { status: "running", policy: event.data.contract.policy });
      break;
    case "stage.reconvened":
      absorbs(judge.stages.get(event.data.stage)?.status, "running");
      rule(judge.reached(event.data.stage), "its policy says so");
      judge.stages.get(event.data.stage)!.status = "reconvening";
      break;
    case "stage.completed":
      absorbs(judge.stages.get(event.data.stage)?.status, "running", "reconvening");
      judge.stages.get(event.data.stage)!.status = "completed";
      break;
  }
}

/** A second bookkeeping of a run, written apart from the reducers: it hears every event and knows what must hold afterwards. */

import { isDeepStrictEqual } from "node:util";
import type { Amount, BudgetLimit } from "../schema/budget.ts";
import { Envelope, type Event, type EventOf, events } from "../schema/event.ts";
import type { Check } from "../schema/evidence.ts";

export const over = new Set(["completed", "failed", "cancelled"]);
export const units = (usd: number): number => Math.round(usd * 1e8);
const sameName = (a: string, b: string): boolean => {
  const [x, y] = [a.normalize("NFKC"), b.normalize("NFKC")];
  return x.toUpperCase() === y.toUpperCase() || x.toLowerCase() === y.toLowerCase();
};

interface Purse {
  limit: BudgetLimit;
  usd: number;
  tokens: number;
}
type Held = {
  needs: string[];
  status: string;
  worker?: string;
  stage?: string;
  left: number;
  most: number;
  checkpoint?: boolean;
  partial?: boolean;
  again?: boolean;
  checks: readonly Check[];
  fails: boolean;
  rejections: number;
  replaces: (string | undefined)[];
  evidence?: string | undefined;
};
type Rule = (holds: unknown, what: string) => void;
type Review = { who: string; node: string | undefined; reserved: Amount; day: string; check: number };
type Open = {
  id: string;
  acting: boolean;
  node?: string;
  reserved: Amount;
  day: string /** Model calls of its program that have not ended. */;
  uses: Map<string, Amount>;
  calls: Map<string, string>;
};

/** What an outsider knows of an agent from its events. `see` throws when an event breaks a rule. */
export class Judge {
  agent = "none";
  run = "none";
  nodes = new Map<string, Held>();
  planned = new Set<string>();
  urged = new Set<string>();
  people = new Map<string, { name: string; retired: boolean }>();
  stages = new Map<string, { status: string; policy: string }>();
  questions = new Map<string, string>();
  /** Questions about hosts. */
  hosts = new Map<string, { subject: string; answer?: string; used?: string }>();
  unkept = new Set<string>();
  channels = new Map<string, { kind: string; for: string[] }>();
  /** Deliveries of open questions that nobody sent or gave up yet, and all that ended. */
  owed = new Map<string, string>();
  /** How each question of the run was asked. */
  asked = new Map<string, { seq: number; wanted: string | undefined; concern: string }>();
  ended = new Set<string>();
  proposals = new Map<string, { status: string; missing: Set<string> }>();
  applied = new Set<string>();
  suggestions = new Map<string, string>();
  insights = new Map<string, { status: string; outside: boolean }>();
  reflection: { node: string | undefined; reserved: Amount; day: string } | undefined;
  triggers = new Map<string, string>();
  documents = new Map<string, number>();
  read = new Map<string, number>();
  turns = new Map<string, Open>();
  /** Reviews that have not ended, by node. */
  reviews = new Map<string, Review>();
  /** `place on check`: the latest outcome. */
  outcomes = new Map<string, string>();
  full = new Map<string, { flush: boolean; tries: number; why: string }>();
  purses = new Map<string, Purse>();
  fires = new Set<string>();
  cycles = 0;
  kicked = false;
  /** The run that is being prepared, and its steps that have passed; whether one has failed. */
  preparing: { run: string; steps: number; passed: number; failed: boolean } | undefined;
  beats = new Set<string>();
  runs = new Set<string>();
  messages = 0;
  seq = 0;
  /** Seq of the last word of the human, and of the end of the run. */
  word = 0;
  end = 0;

  /** Messages to other agents that nobody took or refused yet; and what was received from each, by seq. */
  leaving = new Set<string>();
  putOff = new Set<string>();
  received = new Map<string, { born: string; seq: number }>();

  /** A message from an agent is received once, in the order it was sent; one for an agent leaves the log once. */
  seeMail({ seq, data: { from, to, mail, priority } }: EventOf<"message.posted">, rule: Rule): void {
    const abroad = to.filter((id) => id.startsWith("agent:"));
    rule((mail !== undefined) === (abroad.length > 0 || from.startsWith("agent:")), "mail is between agents only");
    if (!mail) return;
    if (!mail.origin) for (const id of abroad) this.leaving.add(`${seq}/${id.slice("agent:".length)}`);
    else {
      const before = this.received.get(from);
      rule(from.startsWith("agent:") && !abroad.length, "what is received came from an agent and goes to no other");
      rule(before?.born !== mail.origin.born || before.seq < mail.origin.seq, "each is received once, in order");
      this.received.set(from, mail.origin);
      if (!mail.notice && priority !== "background") this.word = seq;
    }
  }

  see(event: Event): void {
    const rule = (holds: unknown, what: string) => {
      if (!holds) throw new Error(`event ${event.seq} (${event.type}): ${what}`);
    };
    rule(event.seq === ++this.seq, "seq is dense");
    rule(Envelope.safeParse(event).success, "the envelope has its shape");
    const shaped = events[event.type].safeParse(event.data);
    rule(shaped.success, `the data has its shape: ${shaped.error?.message}`);
    same(JSON.parse(JSON.stringify(shaped.data)), JSON.parse(JSON.stringify(event.data)), "no field is unknown");
    rule(event.type === "agent.created" || this.agent !== "none", "nothing comes before the agent");
    const absorbs = (from: string | undefined, ...allowed: string[]) =>
      rule(from !== undefined && allowed.includes(from), `${from} is left only if it is ${allowed.join(" or ")}`);
    switch (event.type) {
      case "agent.created":
        absorbs(this.agent, "none");
        this.agent = "active";
        if (event.data.budget) this.purses.set("agent", { limit: event.data.budget, usd: 0, tokens: 0 });
        break;
      case "agent.paused":
        absorbs(this.agent, "active");
        this.agent = "paused";
        break;
      case "agent.resumed":
        absorbs(this.agent, "paused", "stopped");
        if (this.preparing) this.preparing.failed = false;
        this.agent = "active";
        break;
      case "agent.stopped":
        absorbs(this.agent, "active", "paused");
        this.agent = "stopped";
        break;
      case "agent.completed":
        absorbs(this.agent, "active", "paused", "stopped");
        absorbs(this.run, "completed");
        this.agent = "completed";
        break;
      case "agent.reopened":
        absorbs(this.run, "completed");
        // What was checked was the last answer.
        for (const key of [...this.outcomes.keys()]) if (key.startsWith("run ")) this.outcomes.delete(key);
        this.run = "open";
        this.agent = "active";
        break;
      case "agent.archived":
        rule(this.agent !== "archived", "it is archived once");
        this.owed.clear();
        this.preparing = undefined;
        this.agent = "archived";
        break;
      case "run.preparing": {
        const { run, team } = event.data;
        rule(this.run !== "open", "one run is open at a time");
        rule(!this.preparing || this.agent === "stopped", "one run is prepared at a time");
        rule(!this.runs.has(run), "an id is used once");
        absorbs(this.agent, "active", "stopped", "completed", "failed");
        this.preparing = { run, steps: team.setup?.length ?? 0, passed: 0, failed: false };
        this.agent = "active";
        break;
      }
      case "setup.ended": {
        const { run, step, outcome } = event.data;
        const at = this.preparing;
        rule(
          at?.run === run && !at.failed && step === at.passed + 1 && step <= at.steps,
          "steps come one after the other",
        );
        if (outcome === "passed") at!.passed++;
        else at!.failed = true;
        break;
      }
      case "run.started":
        rule(this.run !== "open", "one run is open at a time");
        rule(
          this.preparing
            ? this.preparing.run === event.data.run && this.preparing.passed === this.preparing.steps
            : true,
          "it starts when its setup has passed",
        );
        rule(
          this.preparing || !(event.data.team?.setup?.length || event.data.team?.documents?.length),
          "what must be prepared is prepared",
        );
        same(event.data.setup?.length ?? 0, this.preparing?.steps ?? 0, "what came of its setup");
        this.preparing = undefined;
        rule(!this.runs.has(event.data.run), "an id is used once");
        for (const [id, status] of this.questions) rule(status !== "open", `${id} is closed before the next run`);
        for (const [id, { status }] of this.proposals) rule(status !== "open", `${id} is closed before the next run`);
        this.cycles = 0;
        this.kicked = false;
        this.beats.clear();
        this.runs.add(event.data.run);
        absorbs(this.agent, "active", "stopped", "completed", "failed");
        for (const map of [
          this.nodes,
          this.urged,
          this.planned,
          this.stages,
          this.questions,
          this.hosts,
          this.asked,
          this.owed,
          this.proposals,
          this.applied,
          this.suggestions,
          this.documents,
          this.read,
          this.turns,
          this.full,
          this.outcomes,
        ])
          map.clear();
        this.people = new Map([
          ["human", { name: "Human", retired: false }],
          ...(event.data.team?.lead === false
            ? []
            : [["coordinator", { name: "Coordinator", retired: false }] as const]),
        ]);
        for (const key of this.purses.keys()) if (/^(run$|node:|worker:)/.test(key)) this.purses.delete(key);
        for (const purse of this.purses.values()) rule(purse.usd >= 0, "nothing is left reserved");
        rule(this.reviews.size === 0, "no review is open");
        this.reflection = undefined;
        if (event.data.budget) this.purses.set("run", { limit: event.data.budget, usd: 0, tokens: 0 });
        this.run = "open";
        this.agent = "active";
        break;
      case "run.stopped":
        absorbs(this.run, "open");
        absorbs(this.agent, "stopped", "archived");
        this.run = "stopped";
        this.reviews.clear();
        break;
      case "run.completed":
        absorbs(this.run, "open");
        this.reviews.clear();
        rule(
          this.proves(event.data.evidence, event.data.claimed ?? []),
          "its answer is not more than what it is made of",
        );
        this.run = "completed";
        this.end = event.seq;
        break;
      case "node.created": {
        const { node, depends_on: needs, stage, refs, parent, planned } = event.data;
        absorbs(this.run, "open");
        rule(!this.nodes.has(node), "an id is used once");
        rule(planned === undefined || !this.planned.has(planned), "what is written down comes once");
        if (planned !== undefined) this.planned.add(planned);
        for (const id of [...needs, ...(parent ? [parent] : [])]) rule(this.nodes.has(id), `${id} is known`);
        for (const ref of Object.values(refs)) rule(needs.includes(ref.split("/")[0]!), "a ref is a dependency");
        const current = [...this.stages].at(-1);
        rule(stage === (current?.[1].status === "completed" ? undefined : current?.[0]), "it is of the open stage");
        if (event.data.retry_of) {
          const before = this.nodes.get(event.data.retry_of);
          rule(
            before && (before.partial || /failed|cancelled/.test(before.status)),
            "it stands in for what went wrong",
          );
        }
        if (event.data.suggestion) {
          absorbs(this.suggestions.get(event.data.suggestion), "open");
          this.suggestions.set(event.data.suggestion, "taken");
        }
        this.nodes.set(node, {
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
        absorbs(this.nodes.get(node)?.status, "pending");
        this.inputs(node, rule);
        rule(this.people.get(worker)?.retired === false, "the worker is there");
        rule(worker !== "human" && worker !== "coordinator", "workers do nodes");
        rule(!this.holds(worker), `${worker} holds ${this.holds(worker)}`);
        this.nodes.set(node, { ...this.nodes.get(node)!, status: "assigned", worker });
        break;
      }
      case "node.started":
        absorbs(this.nodes.get(event.data.node)?.status, "assigned");
        rule(this.nodes.get(event.data.node)?.worker === event.data.worker, "it is started by its assignee");
        this.inputs(event.data.node, rule);
        this.nodes.get(event.data.node)!.status = "running";
        break;
      case "node.wanted":
        absorbs(this.nodes.get(event.data.node)?.status, "pending");
        rule(this.people.get(event.data.worker)?.retired === false, "the worker is there");
        break;
      case "node.checkpointed":
        absorbs(this.nodes.get(event.data.node)?.status, "running");
        rule(event.actor === this.nodes.get(event.data.node)?.worker, "its assignee says so");
        this.nodes.get(event.data.node)!.checkpoint = true;
        break;
      case "worker.urged":
        absorbs(this.nodes.get(event.data.node)?.status, "running");
        rule(this.nodes.get(event.data.node)?.worker === event.data.worker, "it holds the node");
        rule(!this.urged.has(event.data.node), "it is urged once for each node");
        this.urged.add(event.data.node);
        break;
      case "node.completed":
        absorbs(this.nodes.get(event.data.node)?.status, "running");
        rule(event.actor === this.nodes.get(event.data.node)?.worker, "it is published by its assignee");
        rule(event.data.worker === event.actor, "and in its name");
        this.reviews.delete(event.data.node);
        this.nodes.get(event.data.node)!.status = "completed";
        this.nodes.get(event.data.node)!.partial = event.data.partial;
        this.nodes.get(event.data.node)!.evidence = event.data.evidence;
        this.proven(event.data.node, event.data.evidence, rule);
        break;
      case "node.rejected": {
        const node = this.nodes.get(event.data.node)!;
        absorbs(node.status, "running");
        rule(event.actor === node.worker, "its assignee wanted to publish it");
        rule(event.data.attempt === ++node.rejections, "attempts are counted");
        rule(event.data.attempt < event.data.attempts, "there is another attempt");
        const outcome = (check: number) => this.outcomes.get(`${event.data.node} ${event.data.on} ${check}`);
        rule(
          event.data.failed.length > 0 && event.data.failed.every((check) => outcome(check) === "failed"),
          "it failed",
        );
        break;
      }
      case "insight.proposed": {
        const { insight, outside } = event.data;
        const before = this.insights.get(insight);
        rule(before === undefined || before.status === "open", "what is decided is not proposed again");
        this.insights.set(insight, { status: "open", outside: outside !== undefined });
        break;
      }
      case "insight.accepted":
      case "insight.declined": {
        const before = this.insights.get(event.data.insight)!;
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
        rule(!this.reflection, "one reflection at a time");
        this.reflection = { node, reserved, day: event.ts.slice(0, 10) };
        this.pay("coordinator", this.reflection, reserved, rule);
        break;
      }
      case "reflection.ended": {
        const { reserved } = this.reflection!;
        const { cost } = event.data;
        this.pay("coordinator", this.reflection!, {
          usd: cost.usd - reserved.usd,
          tokens: cost.tokens - reserved.tokens,
        });
        this.reflection = undefined;
        break;
      }
      case "check.started": {
        const { node, check, by, payer, reserved, lost } = event.data;
        const place = node ?? "run";
        rule(this.nodes.get(place)?.worker !== by, "its author does not review it");
        const before = this.reviews.get(place);
        rule((lost === undefined) === (before === undefined), "an interrupted review is charged");
        if (before && lost)
          this.pay(before.who, before, {
            usd: lost.usd - before.reserved.usd,
            tokens: lost.tokens - before.reserved.tokens,
          });
        const review = { who: payer, node, reserved, day: event.ts.slice(0, 10), check };
        this.reviews.set(place, review);
        this.pay(payer, review, reserved, rule);
        break;
      }
      case "check.ended": {
        const { node, check, on, by, what, outcome, cost } = event.data;
        const place = node ?? "run";
        const open = this.reviews.get(place);
        if (node) absorbs(this.nodes.get(node)?.status, "running");
        if (node) same(what, this.nodes.get(node)?.checks[check - 1], "it is the check that was given");
        rule(!("review" in what) || this.nodes.get(place)?.worker !== by, "its author does not review it");
        if (open?.check === check) {
          this.reviews.delete(place);
          if (cost)
            this.pay(open.who, open, {
              usd: cost.usd - open.reserved.usd,
              tokens: cost.tokens - open.reserved.tokens,
            });
        } else rule(!/passed|failed/.test(this.outcomes.get(`${place} ${on} ${check}`) ?? ""), "it has one result");
        for (const key of [...this.outcomes.keys()])
          if (key.startsWith(`${place} `) && !key.startsWith(`${place} ${on} `)) this.outcomes.delete(key);
        this.outcomes.set(`${place} ${on} ${check}`, outcome);
        break;
      }
      case "node.retried": {
        const node = this.nodes.get(event.data.node)!;
        absorbs(node.status, "assigned", "running");
        rule(!node.again, "it is tried again as often as is allowed");
        this.urged.delete(event.data.node);
        const { worker: _worker, ...rest } = node;
        this.nodes.set(event.data.node, {
          ...rest,
          status: "pending",
          left: node.most,
          again: true,
          checkpoint: false,
          rejections: 0,
        });
        this.reviews.delete(event.data.node);
        for (const key of [...this.outcomes.keys()])
          if (key.startsWith(`${event.data.node} `)) this.outcomes.delete(key);
        break;
      }
      case "suggestion.made":
        absorbs(this.run, "open");
        rule(!this.suggestions.has(event.data.suggestion), "an id is used once");
        this.suggestions.set(event.data.suggestion, "open");
        break;
      case "suggestion.dismissed":
        absorbs(this.suggestions.get(event.data.suggestion), "open");
        this.suggestions.set(event.data.suggestion, "dismissed");
        break;
      case "node.failed":
      case "node.cancelled":
        absorbs(this.nodes.get(event.data.node)?.status, "pending", "assigned", "running");
        this.nodes.get(event.data.node)!.status = event.type.slice(5);
        this.reviews.delete(event.data.node);
        break;
      case "stage.started":
        absorbs(this.run, "open");
        for (const [id, { status }] of this.stages) rule(status === "completed", `${id} is ${status}`);
        this.stages.set(event.data.stage, { status: "running", policy: event.data.contract.policy });
        break;
      case "stage.reconvened":
        absorbs(this.stages.get(event.data.stage)?.status, "running");
        rule(this.reached(event.data.stage), "its policy says so");
        this.stages.get(event.data.stage)!.status = "reconvening";
        break;
      case "stage.completed":
        absorbs(this.stages.get(event.data.stage)?.status, "running", "reconvening");
        this.stages.get(event.data.stage)!.status = "completed";
        break;
      case "worker.spawned": {
        const { worker, name, budget } = event.data;
        absorbs(this.run, "open");
        rule(!this.people.has(worker), "an id is used once");
        for (const [id, one] of this.people) {
          rule(
            !sameName(one.name, name) && !sameName(id, name) && !sameName(one.name, worker),
            `${name} is ${one.name}`,
          );
        }
        this.people.set(worker, { name, retired: false });
        if (budget) this.purses.set(`worker:${worker}`, { limit: budget, usd: 0, tokens: 0 });
        break;
      }
      case "worker.retired":
        rule(this.people.get(event.data.worker)?.retired === false, "it is retired once");
        rule(!this.holds(event.data.worker), "it holds no node");
        this.people.get(event.data.worker)!.retired = true;
        break;
      case "turn.started": {
        const { participant, turn: id, upto, reserved, node } = event.data;
        absorbs(this.agent, "active");
        absorbs(this.run, "open");
        rule(!this.turns.has(participant), "one turn at a time");
        rule(this.people.get(participant)?.retired === false, "who is retired takes no turn");
        rule(upto >= (this.read.get(participant) ?? 0) && upto < event.seq, "it consumes what is unread");
        rule(node === this.holds(participant), "it is for the node it holds");
        if (node) absorbs(this.nodes.get(node)?.status, "running");
        if (node) rule(this.nodes.get(node)!.left-- > 0, "it has turns left");
        if (node) this.nodes.get(node)!.checkpoint = false;
        const turn: Open = {
          id,
          acting: false,
          node,
          reserved,
          day: event.ts.slice(0, 10),
          calls: new Map(),
          uses: new Map(),
        };
        this.turns.set(participant, turn);
        const full = this.full.get(participant);
        if (full) full.flush = true;
        this.pay(participant, turn, reserved, rule);
        break;
      }
      case "turn.answered": {
        const turn = this.within(event.data, rule);
        rule(!turn.acting, "it is answered once");
        const { usd, tokens } = event.data.cost;
        this.pay(event.data.participant, turn, { usd: usd - turn.reserved.usd, tokens: tokens - turn.reserved.tokens });
        turn.reserved = { usd: 0, tokens: 0 };
        turn.acting = true;
        turn.calls = new Map(event.data.calls.map(({ id: call }) => [call, "asked"]));
        rule(turn.calls.size === event.data.calls.length, "call ids are distinct");
        break;
      }
      case "turn.resumed":
      case "turn.retried": {
        const turn = this.within(event.data, rule);
        this.pay(event.data.participant, turn, event.data.lost, rule);
        // Whoever waited for the results of its own calls is gone.
        if (event.type === "turn.resumed" && !turn.acting)
          for (const call of turn.calls.keys()) turn.calls.set(call, "ended");
        break;
      }
      case "program.reserved": {
        const { participant, call, reserved } = event.data;
        const turn = this.within(event.data, rule);
        rule(!turn.acting && !turn.uses.has(call), "it is reserved once, while its turn is calling");
        turn.uses.set(call, reserved);
        this.pay(participant, turn, reserved, rule);
        break;
      }
      case "program.settled": {
        const { participant, call, cost } = event.data;
        const turn = this.within(event.data, rule);
        rule(!turn.acting && (call === undefined || turn.uses.has(call)), "it is settled once");
        const { usd, tokens } = turn.uses.get(call ?? "") ?? { usd: 0, tokens: 0 };
        turn.uses.delete(call ?? "");
        this.pay(participant, turn, { usd: cost.usd - usd, tokens: cost.tokens - tokens });
        break;
      }
      case "program.opened":
      case "program.reported":
      case "program.told":
        rule(!this.within(event.data, rule).acting, "it is under way");
        break;
      case "context.filled": {
        const { participant } = event.data;
        const before = this.full.get(participant) ?? { flush: this.turns.has(participant), tries: 0 };
        rule(before.tries < 2, "it is tried twice at most");
        this.full.set(participant, { ...before, tries: before.tries + 1, why: event.data.why });
        break;
      }
      case "context.shortened": {
        const { participant } = event.data;
        rule(this.full.get(participant)?.flush === true, "there was a turn to write down what must survive");
        rule(!this.turns.has(participant), "no turn is under way");
        this.full.delete(participant);
        break;
      }
      case "tool.called": {
        const turn = this.within(event.data, rule);
        rule(!turn.acting, "it is not answered yet");
        rule(!turn.calls.has(event.data.call), "its id is new");
        const asked = [...turn.calls].filter(([call, status]) => call.startsWith("own") && status !== "ended");
        rule(event.data.reported || asked.length < 8, "not too many at once");
        turn.calls.set(event.data.call, "started");
        break;
      }
      case "tool.started":
      case "tool.ended": {
        const { calls } = this.within(event.data, rule);
        const before = calls.get(event.data.call);
        absorbs(before, ...(event.type === "tool.started" ? ["asked"] : ["asked", "started"]));
        calls.set(event.data.call, event.type.slice(5));
        break;
      }
      case "turn.ended": {
        const turn = this.within(event.data, rule);
        rule(turn.acting, "it was answered");
        for (const [call, status] of turn.calls) rule(status === "ended", `${call} is ${status}`);
        this.turns.delete(event.data.participant);
        break;
      }
      case "turn.failed": {
        const turn = this.within(event.data, rule);
        const { usd, tokens } = event.data.lost;
        this.pay(event.data.participant, turn, { usd: usd - turn.reserved.usd, tokens: tokens - turn.reserved.tokens });
        this.turns.delete(event.data.participant);
        // A turn that nobody heard was no turn to write anything down.
        const full = this.full.get(event.data.participant);
        if (full && !turn.acting && ["interrupted", "provider"].includes(event.data.reason.code)) {
          if (full.why === "overflow") this.full.delete(event.data.participant);
          else full.flush = false;
        }
        break;
      }
      case "inbox.acked": {
        const { participant, upto } = event.data;
        rule(upto > (this.read.get(participant) ?? 0) && upto < event.seq, "it goes forward, not into the future");
        this.read.set(participant, upto);
        break;
      }
      case "inbox.deferred": {
        const { participant, entry } = event.data;
        rule(!this.putOff.has(`${participant} ${entry.seq}`), "an entry is put off once");
        rule((entry.deferred ?? 0) <= 3, "and comes back three times at most");
        this.putOff.add(`${participant} ${entry.seq}`);
        break;
      }
      case "inbox.returned":
        rule(this.putOff.has(`${event.data.participant} ${event.data.entry.seq}`), "what comes back was put off");
        break;
      case "outbox.delivered":
      case "outbox.refused":
        rule(this.leaving.delete(event.data.outgoing), "what was delivered or refused was on its way");
        break;
      case "message.posted":
        absorbs(this.run, "open", "completed");
        rule(event.data.message === `m${++this.messages}`, "messages are numbered");
        if (event.data.kickoff) {
          rule(!this.kicked, "a team is kicked off once");
          this.kicked = true;
        }
        if (event.data.from === "human") this.word = event.seq;
        this.seeMail(event, rule);
        for (const id of event.data.to)
          rule(id.startsWith("agent:") || this.people.get(id)?.retired === false, `${id} reads mail`);
        rule(!event.data.to.includes(event.data.from), "nobody writes to themselves");
        break;
      case "question.asked":
        absorbs(this.run, "open");
        rule(!this.questions.has(event.data.question), "an id is used once");
        this.questions.set(event.data.question, "open");
        if (event.data.host) {
          const { subject } = event.data.host;
          const twice = [...this.hosts.values()].some((one) => one.subject === subject && one.answer === undefined);
          rule(!twice, "nobody is asked about a host twice at a time");
          this.hosts.set(event.data.question, { subject });
        }
        this.asked.set(event.data.question, {
          seq: event.seq,
          wanted: event.data.channel,
          concern: event.data.approves || event.data.host ? "approvals" : "questions",
        });
        for (const name of this.wanting(
          event.data.channel,
          event.data.approves || event.data.host ? "approvals" : "questions",
        ))
          this.owed.set(`${event.seq}/${name}`, event.data.question);
        break;
      case "host.opened": {
        const { question, call } = event.data;
        const host = question === undefined ? undefined : this.hosts.get(question);
        rule(question === undefined || /^(this time|this run|always)$/.test(host?.answer ?? ""), "a person allowed it");
        rule(host?.answer !== "this time" || (host.used ?? call) === call, "once is for one command");
        if (host) host.used = call;
        break;
      }
      case "host.kept":
        rule(this.unkept.delete(event.data.subject), "a person allowed it for good");
        break;
      case "question.answered":
      case "question.expired":
        absorbs(this.questions.get(event.data.question), "open");
        this.questions.set(event.data.question, event.type.slice(9));
        if (this.hosts.has(event.data.question)) {
          const host = this.hosts.get(event.data.question)!;
          host.answer = event.type === "question.answered" ? event.data.answer : "expired";
          if (host.answer === "always") this.unkept.add(host.subject);
        }
        for (const [id, question] of this.owed) if (question === event.data.question) this.owed.delete(id);
        break;
      case "delivery.routed":
        for (const [question, { seq, wanted, concern }] of this.asked) {
          const before = this.wanting(wanted, concern);
          const now = this.wanting(wanted, concern, new Map(Object.entries(event.data.channels)));
          for (const name of this.questions.get(question) === "open" ? now : [])
            if (!before.includes(name) && !this.ended.has(`${seq}/${name}`)) this.owed.set(`${seq}/${name}`, question);
        }
        this.channels = new Map(Object.entries(event.data.channels));
        for (const id of this.owed.keys()) if (!this.channels.has(id.split("/")[1]!)) this.owed.delete(id);
        break;
      case "delivery.sent":
      case "delivery.failed": {
        const { delivery: id } = event.data;
        rule(this.channels.has(id.split("/")[1]!), "its channel is known");
        rule(
          Number(id.split("/")[0]) < event.seq && !this.ended.has(id),
          "a delivery ends once, after what it tells of",
        );
        if (event.type === "delivery.failed" && event.data.next_at) {
          const wait = Date.parse(event.data.next_at) - Date.parse(event.ts);
          rule(
            wait >= 60_000 && wait <= 7_200_000 && event.data.attempts < 12,
            "a minute to two hours, at most 12 times",
          );
        } else {
          this.ended.add(id);
          this.owed.delete(id);
        }
        break;
      }
      case "proposal.created":
        absorbs(this.run, "open");
        rule(!this.proposals.has(event.data.proposal), "an id is used once");
        for (const id of event.data.voters) rule(this.people.get(id)?.retired === false, `${id} can vote`);
        this.proposals.set(event.data.proposal, { status: "open", missing: new Set(event.data.voters) });
        break;
      case "proposal.applied":
        absorbs(this.run, "open");
        absorbs(this.proposals.get(event.data.proposal)?.status, "settled");
        rule(!this.applied.has(event.data.proposal), "it takes effect once");
        this.applied.add(event.data.proposal);
        break;
      case "proposal.voted":
      case "proposal.settled":
      case "proposal.withdrawn":
        if (event.type !== "proposal.withdrawn") absorbs(this.run, "open");
        absorbs(this.proposals.get(event.data.proposal)?.status, "open");
        if (event.type === "proposal.voted") this.proposals.get(event.data.proposal)!.missing.delete(event.data.voter);
        else this.proposals.get(event.data.proposal)!.status = event.type.slice(9);
        break;
      case "trigger.created":
        rule(!this.triggers.has(event.data.trigger), "an id is used once");
        this.triggers.set(event.data.trigger, "active");
        break;
      case "trigger.fired":
        rule(!this.fires.has(event.data.fire), "a fire happens once");
        this.fires.add(event.data.fire);
        absorbs(this.triggers.get(event.data.trigger), "active");
        break;
      case "trigger.failed":
        rule(this.fires.has(event.data.fire), "it fired");
        break;
      case "cycle.began":
        absorbs(this.agent, "active");
        absorbs(this.run, "open");
        rule(event.data.cycle === ++this.cycles, "cycles are numbered");
        rule(event.data.at <= event.ts, "it is never early");
        rule(!this.beats.has(event.data.at), "a beat has one cycle");
        this.beats.add(event.data.at);
        rule(!this.turns.has("coordinator"), "nobody is woken who is awake");
        break;
      case "trigger.missed":
        absorbs(this.triggers.get(event.data.trigger), "active");
        break;
      case "trigger.disarmed":
        absorbs(this.triggers.get(event.data.trigger), "active");
        this.triggers.set(event.data.trigger, "disarmed");
        break;
      case "trigger.armed":
        absorbs(this.triggers.get(event.data.trigger), "disarmed");
        this.triggers.set(event.data.trigger, "active");
        break;
      case "trigger.expired":
        absorbs(this.triggers.get(event.data.trigger), "active");
        this.triggers.set(event.data.trigger, "expired");
        break;
      case "trigger.cancelled":
        absorbs(this.triggers.get(event.data.trigger), "active", "disarmed");
        this.triggers.set(event.data.trigger, event.type.slice(8));
        break;
      case "document.written": {
        const { document, version } = event.data;
        rule(version === (this.documents.get(document) ?? 0) + 1, "versions are dense");
        for (const other of this.documents.keys())
          rule(other === document || !sameName(other, document), `it is ${other}`);
        this.documents.set(document, version);
        break;
      }
      case "document.removed":
        rule(this.documents.delete(event.data.document), "it was there");
        break;
      case "budget.set": {
        const { scope, limit } = event.data;
        if (scope.of === "node") rule(this.nodes.has(scope.node), "the node is known");
        if (scope.of === "worker") rule(this.people.has(scope.worker), "the worker is known");
        const key =
          scope.of === "node" ? `node:${scope.node}` : scope.of === "worker" ? `worker:${scope.worker}` : scope.of;
        this.purses.set(key, { usd: 0, tokens: 0, ...this.purses.get(key), limit });
      }
    }
  }

  holds(worker: string): string | undefined {
    for (const [id, node] of this.nodes) if (node.worker === worker && !over.has(node.status)) return id;
    return undefined;
  }

  private inputs(id: string, rule: (holds: unknown, what: string) => void): void {
    for (const need of this.nodes.get(id)!.needs) {
      const status = this.nodes.get(need)?.status;
      rule(status === "completed", `${id} needs ${need}, which is ${status}`);
    }
  }

  private within({ turn, participant }: { turn: string; participant: string }, rule: (h: unknown, w: string) => void) {
    const open = this.turns.get(participant);
    rule(open?.id === turn, `${participant} is in ${open?.id}`);
    return open!;
  }

  /** The channels that a question asked for, if there are such. */
  /** The channels that a question is sent by. */
  private wanting(wanted: string | undefined, concern: string, channels = this.channels): string[] {
    const of = (fits: (kind: string, wishes: string[]) => boolean) =>
      [...channels].filter(([, { kind, for: wishes }]) => fits(kind, wishes)).map(([name]) => name);
    if (wanted !== undefined && channels.has(wanted)) return [wanted];
    const those = of((kind) => kind === wanted);
    return those.length ? those : of((_kind, wishes) => wishes.includes(concern));
  }

  /** Books an amount everywhere it counts. With a rule, it must fit under every limit. */
  private pay(
    who: string,
    { node, day }: { node?: string | undefined; day: string },
    { usd, tokens }: Amount,
    rule?: (h: unknown, w: string) => void,
  ): void {
    for (const key of ["agent", "run", `day:${day}`, `worker:${who}`, ...(node ? [`node:${node}`] : [])]) {
      const { limit, ...purse } = this.purses.get(key) ?? { limit: {}, usd: 0, tokens: 0 };
      const after = { usd: purse.usd + units(usd), tokens: purse.tokens + tokens };
      const most = key.startsWith("day:") ? (this.purses.get("day")?.limit ?? limit) : limit;
      if (usd > 0) rule?.(most.usd === undefined || after.usd <= units(most.usd), `${key} allows ${most.usd} usd`);
      if (tokens > 0) rule?.(most.tokens === undefined || after.tokens <= most.tokens, `${key} allows ${most.tokens}`);
      this.purses.set(key, { limit, ...after });
    }
  }

  /** Some content has such results that this is true of it. */
  private proven(place: string, evidence: string | undefined, rule: (h: unknown, w: string) => void): void {
    const { checks } = this.nodes.get(place)!;
    const contents = new Set(
      [...this.outcomes.keys()].map((key) => key.split(" ")).flatMap(([at, on]) => (at === place ? [on] : [])),
    );
    const passes = (on: string | undefined, at: number) => this.outcomes.get(`${place} ${on} ${at + 1}`) === "passed";
    if (evidence === "verified") {
      rule(
        checks.some((check) => !("review" in check)),
        "the runtime checked something",
      );
      rule(
        [...contents].some((on) => checks.every((_, at) => passes(on, at))),
        "every check passed on one content",
      );
    }
    if (evidence === "reviewed")
      rule(
        [...contents].some((on) => checks.some((check, at) => "review" in check && passes(on, at))),
        "a review passed",
      );
  }

  /** The answer of the run outranks its weakest node only by a check on the whole. */
  private proves(evidence: string | undefined, claimed: readonly string[]): boolean {
    const done = [...this.nodes].filter(([, { status }]) => status === "completed");
    const replaced = new Set(done.flatMap(([, { replaces }]) => replaces));
    const inputs = done.filter(([id]) => !replaced.has(id));
    same(
      claimed,
      inputs.filter(([, node]) => node.evidence === "claimed").map(([id]) => id),
      "what is claimed only",
    );
    const whole = [...this.outcomes].filter(([key]) => key.startsWith("run "));
    if (whole.some(([, outcome]) => outcome === "passed")) return true;
    const allowed = { claimed: /./, reviewed: /reviewed|verified/, verified: /verified/ }[evidence ?? ""]!;
    return (
      evidence === "claimed" || (inputs.length > 0 && inputs.every(([, node]) => allowed.test(node.evidence ?? "")))
    );
  }

  /** Whether a node can never end by itself, or not before `held`. */
  stuck(id: string, held?: string, seen = new Map<string, boolean>(held ? [[held, true]] : [])): boolean {
    const node = this.nodes.get(id);
    if (!node) return true;
    if (!seen.has(id)) {
      const dead = (need: string) => this.nodes.get(need)?.status !== "completed" && this.stuck(need, held, seen);
      seen.set(id, node.checkpoint || over.has(node.status) || (node.status === "pending" && node.needs.some(dead)));
    }
    return seen.get(id)!;
  }

  reached(stage: string): boolean {
    const mine = [...this.nodes].filter(([, node]) => node.stage === stage);
    const stands = (node: Held) => node.checkpoint && !over.has(node.status);
    const done = mine.filter(([, node]) => node.status === "completed" || stands(node)).length;
    const { policy } = this.stages.get(stage)!;
    if (policy === "any" && done >= 1) return true;
    if (policy === "majority" && done > mine.length / 2) return true;
    return mine.length > 0 && mine.every(([id]) => this.stuck(id));
  }
}

/** Plain comparisons: these run a million times. */
export function same(found: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(found, expected))
    throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}

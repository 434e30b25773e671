/** A second bookkeeping of a run, written apart from the reducers: it hears every event and knows what must hold afterwards. */

import type { Amount, BudgetLimit } from "../../schema/budget.ts";
import { Envelope, type Event, type EventOf, events } from "../../schema/event.ts";
import type { Check } from "../../schema/evidence.ts";
import { seeBoard } from "./judge-board.test-help.ts";
import { seeLife } from "./judge-life.test-help.ts";
import { seeMail } from "./judge-mail.test-help.ts";
import { seeTeam } from "./judge-team.test-help.ts";
import { seeTurn } from "./judge-turn.test-help.ts";
import { over, same, units } from "./judge-words.test-help.ts";

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
export interface Rules {
  rule(holds: unknown, what: string): void;
  /** A status that is left only if it is one of these. */
  absorbs(from: string | undefined, ...allowed: string[]): void;
}
type Rule = Rules["rule"];
type Review = { who: string; node: string | undefined; reserved: Amount; day: string; check: number };
export type Open = {
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
    const rules = { rule, absorbs };
    seeLife(this, event, rules);
    seeBoard(this, event, rules);
    seeTeam(this, event, rules);
    seeTurn(this, event, rules);
    seeMail(this, event, rules);
  }

  holds(worker: string): string | undefined {
    for (const [id, node] of this.nodes) if (node.worker === worker && !over.has(node.status)) return id;
    return undefined;
  }

  inputs(id: string, rule: (holds: unknown, what: string) => void): void {
    for (const need of this.nodes.get(id)!.needs) {
      const status = this.nodes.get(need)?.status;
      rule(status === "completed", `${id} needs ${need}, which is ${status}`);
    }
  }

  within({ turn, participant }: { turn: string; participant: string }, rule: (h: unknown, w: string) => void) {
    const open = this.turns.get(participant);
    rule(open?.id === turn, `${participant} is in ${open?.id}`);
    return open!;
  }

  /** The channels that a question is sent by. */
  wanting(wanted: string | undefined, concern: string, channels = this.channels): string[] {
    const of = (fits: (kind: string, wishes: string[]) => boolean) =>
      [...channels].filter(([, { kind, for: wishes }]) => fits(kind, wishes)).map(([name]) => name);
    if (wanted !== undefined && channels.has(wanted)) return [wanted];
    const those = of((kind) => kind === wanted);
    return those.length ? those : of((_kind, wishes) => wishes.includes(concern));
  }

  /** Books an amount everywhere it counts. With a rule, it must fit under every limit. */
  pay(
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
  proven(place: string, evidence: string | undefined, rule: (h: unknown, w: string) => void): void {
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
  proves(evidence: string | undefined, claimed: readonly string[]): boolean {
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

/**
 * The soul under governance. The guard observes over runs what the human asks for again and again and how work ends, and proposes a line for
 * SOUL.md with its evidence. Nothing here changes the file: the human accepts or declines, or a rule of theirs does (runtime/soul-keeper.ts).
 *
 * Always holds: a proposal is made only of the human's own words, or of counts with words of ours, never of what an agent read, wrote or was told by
 * others. No participant can accept or decline one (decide.ts). What was declined is not proposed again. Everything is bounded.
 * Not here: the text of the soul and its versions as files (runtime/workspace/soul-file.ts).
 */
import { shortLine } from "../../lib/text/text.ts";
import type { Event, Fact } from "../../schema/event.ts";
import { typesOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { SoulEvidence, SoulProposal, SoulResults, SoulVersion } from "../../schema/soul.ts";
import { wordsIn } from "../message/statement.ts";
import { type Deciders, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import type { State } from "../state.ts";

export const soulPath = "SOUL.md";

const most = { versions: 50, wishes: 60, signs: 8, proposals: 200, open: 10 };
const longestEvidence = 300;

const soulDecide: Deciders<"soul.accept" | "soul.decline"> = {
  "soul.accept": (state, { proposal, line, by }) => {
    const known = state.soulProposals.get(proposal);
    if (known?.status === "accepted") return [];
    const one = requireOpen(state, proposal);
    return [{ type: "soul.accepted", data: { proposal, line: line ?? one.line, by } }];
  },
  "soul.decline": (state, { proposal, reason }) => {
    if (state.soulProposals.get(proposal)?.status === "declined") return [];
    requireOpen(state, proposal);
    return [{ type: "soul.declined", data: { proposal, ...(reason ? { reason } : {}) } }];
  },
};

/** Throws what became of it, or which are open. */
export function requireOpen({ soulProposals }: State, id: string): SoulProposal {
  const one = soulProposals.get(id);
  if (one?.status === "open") return one;
  if (one) throw new Problem("wrong_state", `${id} was already ${one.status}`);
  const open = [...soulProposals.values()].flatMap((known) => (known.status === "open" ? [known.id] : []));
  throw new Problem("not_found", `there is no proposal ${id} for the soul; open: ${open.join(", ") || "none"}`);
}

/** The human wants it to be so from now on. */
const lasting =
  /\b(?:always|never|from now on|in (?:the )?future|every time|each time|whenever|as a rule|i prefer|please (?:don't|don’t|do not|stop|keep|use|write|be)|stop \w+ing|don't|don’t|do not|immer|niemals|ab jetzt|in zukunft|toujours|jamais|siempre|nunca)\b/i;
const explicit = /\b(?:from now on|in (?:the )?future|as a rule|ab jetzt|in zukunft|dorénavant)\b/i;
/** Something was not as the human wanted it. */
const correcting =
  /\b(?:wrong|incorrect|not what i|that's not|that is not|i (?:already )?(?:told|asked|said)|too (?:long|short|much|many|verbose|slow|late)|again|instead|mistake|redo|revert|undo|please (?:don't|don’t|stop)|stop \w+ing|falsch|nicht so)\b/i;

function wishesIn(event: Event): SoulEvidence[] {
  const text = wordsOfHuman(event);
  if (!text || !event.run) return [];
  // What the human quotes from others is not their wish.
  const own = text
    .replace(/^[ \t]{0,9}>.*$/gm, "")
    .replace(/```[\s\S]*?(?:```|$)/g, "")
    .replace(/["“„][^"“”„]*["”]/g, "");
  return own
    .slice(0, 20_000)
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => lasting.test(sentence) && wordsIn(sentence).size >= 2 && sentence.length <= longestEvidence)
    .map((sentence) => ({ run: event.run!, seq: event.seq, text: shortLine(sentence, longestEvidence) }));
}

/** Only what they said themselves: no trigger, no other agent. */
function wordsOfHuman(event: Event): string | undefined {
  if (event.actor !== "human") return undefined;
  if (event.type === "message.posted" && event.data.from === "human" && !event.data.quotes) return event.data.text;
  return event.type === "question.answered" && !event.data.message ? event.data.answer : undefined;
}

const overlaps = (a: string, b: string): boolean => {
  const [one, other] = [wordsIn(a), wordsIn(b)];
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  const shared = [...few].filter((word) => many.has(word)).length;
  return few.size > 0 && shared / few.size >= 0.6;
};

/** What is said of work that ends badly again and again. */
const remedies: Record<string, { line: string; why: string }> = {
  "limit.turns": {
    line: "Works in small pieces: splits a node before its turns run out, and hands over what is done.",
    why: "nodes ran out of turns",
  },
  "limit.context": {
    line: "Reads long material in parts, and writes down what matters before it reads on.",
    why: "nodes ran out of context",
  },
  rejected: {
    line: "Runs the checks of a node itself before it publishes.",
    why: "results were rejected by their checks",
  },
  denied: {
    line: "Says what an unusual step is for before it asks for it, and looks for a way that needs no approval first.",
    why: "approvals were denied by you",
  },
};
const enough = 3;

/** When a run is over, or at any time for an agent without end: one proposal at a time, until nothing more follows. */
const settleSoul: Settle = (state) => {
  const { agent, run, soul, soulProposals } = state;
  if (!agent || agent.status === "archived" || !run) return [];
  if (run.status === "open" && agent.mode !== "infinite") return [];
  // Asked after every event, and most events change nothing about it.
  if (quiet.get(soul.wishes) === soulProposals.size && quiet.get(soul.signs) === soulProposals.size) return [];
  const all = [...soulProposals.values()];
  const isFull = all.length >= most.proposals || all.filter(({ status }) => status === "open").length >= most.open;
  const next = isFull ? undefined : (wished(soul.wishes, all) ?? observed(soul.signs, all));
  if (next) return [propose(state, next)];
  if (!isFull) for (const looked of [soul.wishes, soul.signs]) quiet.set(looked, soulProposals.size);
  return [];
};

/** What was looked at in vain, with so many proposals. */
const quiet = new WeakMap<object, number>();

type Proposed = Pick<SoulProposal, "line" | "why" | "basis" | "evidence">;

const isKnown = (line: string, all: readonly SoulProposal[]): boolean =>
  all.some((one) => overlaps(one.line, line) || one.evidence.some(({ text }) => overlaps(text, line)));

function wished(wishes: readonly SoulEvidence[], all: readonly SoulProposal[]): Proposed | undefined {
  for (const wish of wishes.toReversed()) {
    if (isKnown(wish.text, all)) continue;
    const evidence = wishes.filter(({ text }) => overlaps(text, wish.text));
    const times = new Set(evidence.map(({ seq }) => seq)).size;
    if (times < 2 && !explicit.test(wish.text)) continue;
    const why = times < 2 ? "You said that it is to be so from now on." : `You said so ${times} times.`;
    return { line: wish.text, why, basis: "words", evidence: evidence.slice(-most.signs) };
  }
  return undefined;
}

function observed(signs: Record<string, SoulEvidence[]>, all: readonly SoulProposal[]): Proposed | undefined {
  for (const [sign, evidence] of Object.entries(signs)) {
    const remedy = remedies[sign];
    if (!remedy || evidence.length < enough || all.some(({ line }) => line === remedy.line)) continue;
    const why = `${evidence.length} or more ${remedy.why} since the soul was last changed.`;
    return { line: remedy.line, why, basis: "results", evidence };
  }
  return undefined;
}

function propose({ soulProposals }: State, given: Proposed): Fact {
  return { type: "soul.proposed", actor: "system", data: { proposal: `sp${soulProposals.size + 1}`, ...given } };
}

const nothing: SoulResults = { runs: 0, completed: 0, failed: 0, messages: 0, corrections: 0, usd: 0 };

const reduceSoul: Reduce = (state, event) => {
  const { soul, soulProposals } = state;
  switch (event.type) {
    case "file.written":
    case "file.edited": {
      const { path, sha256 } = event.data;
      if (path !== soulPath) return;
      const results = { ...nothing, runs: state.run?.status === "open" ? 1 : 0 };
      const version: SoulVersion = { seq: event.seq, at: event.ts, by: event.actor, sha256, results };
      state.soul = { ...soul, versions: [...soul.versions, version].slice(-most.versions), signs: {} };
      return;
    }
    case "run.started":
      return count(state, { runs: 1 });
    case "agent.reopened":
      // A run that goes on with another soul than it was finished with.
      return soul.versions.at(-1)?.results.runs === 0 ? count(state, { runs: 1 }) : undefined;
    case "node.completed":
      return count(state, { completed: 1 });
    case "node.failed":
      count(state, { failed: 1 });
      return sign(state, event, event.data.reason.code, `${event.data.node}: ${event.data.reason.message}`);
    case "node.rejected":
      return sign(state, event, "rejected", `${event.data.node} was rejected`);
    case "turn.answered":
      return event.data.cost.usd ? count(state, { usd: event.data.cost.usd }) : undefined;
    case "question.answered":
    case "message.posted": {
      const text = wordsOfHuman(event);
      if (event.type === "question.answered" && event.data.answer === "deny")
        sign(state, event, "denied", `you denied ${event.data.question}`);
      if (text === undefined) return;
      if (event.type === "message.posted") count(state, { messages: 1, corrections: correcting.test(text) ? 1 : 0 });
      const wishes = wishesIn(event);
      if (wishes.length) state.soul = { ...state.soul, wishes: [...state.soul.wishes, ...wishes].slice(-most.wishes) };
      return;
    }
    case "soul.proposed": {
      const { proposal: id, ...given } = event.data;
      soulProposals.set(id, { id, ...given, at: event.ts, status: "open" });
      return;
    }
    case "soul.accepted": {
      const { proposal, line, by } = event.data;
      return ended(state, proposal, { status: "accepted", line, by, ended_at: event.ts });
    }
    case "soul.declined": {
      const { proposal, reason } = event.data;
      return ended(state, proposal, { status: "declined", ...(reason ? { reason } : {}), ended_at: event.ts });
    }
  }
};

type Ending =
  | { status: "accepted"; line: string; by: "human" | "rule"; ended_at: string }
  | { status: "declined"; reason?: string; ended_at: string };

function ended({ soulProposals }: State, id: string, ending: Ending): void {
  const one = soulProposals.get(id);
  if (one?.status === "open") soulProposals.set(id, { ...one, ...ending });
}

/** Adds to what came of the current version. */
function count(state: State, more: Partial<SoulResults>): void {
  const last = state.soul.versions.at(-1);
  if (!last) return;
  const results = { ...last.results };
  for (const [name, amount] of Object.entries(more)) results[name as keyof SoulResults] += amount;
  state.soul = { ...state.soul, versions: state.soul.versions.with(-1, { ...last, results }) };
}

function sign(state: State, { run, seq }: Event, kind: string, text: string): void {
  if (!run || !Object.hasOwn(remedies, kind)) return;
  const evidence = [...(state.soul.signs[kind] ?? []), { run, seq, text: shortLine(text, longestEvidence) }];
  state.soul = { ...state.soul, signs: { ...state.soul.signs, [kind]: evidence.slice(-most.signs) } };
}

export const soul = defineBehaviour({
  decide: soulDecide,
  reduce: [
    {
      phase: "own",
      looksAt: [
        ...typesOf("soul"),
        "file.written",
        "file.edited",
        "run.started",
        "agent.reopened",
        "node.completed",
        "node.failed",
        "node.rejected",
        "turn.answered",
        "question.answered",
        "message.posted",
      ],
      reduce: reduceSoul,
    },
  ],
  settle: [{ phase: "assign", rule: settleSoul }],
});

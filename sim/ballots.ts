/**
 * Proposals, judged from the raw log with rules of its own: what was voted, what that means, and what came of it.
 *
 * A result is what the rule gives for the votes at that event, also when it comes by expiry. A binding one takes effect once, before anybody takes
 * another step, and only for its winner. A run that nobody leads does not end while a vote is open, and nobody but the human ends one against a vote.
 */
import type { Line, Violation } from "./history.ts";

interface Ballot {
  options: string[];
  voters: string[];
  by: string;
  rule: { rule: string; quorum: number; tie: string; weights?: Record<string, number> };
  binding?: { effect: string; document?: string; node?: string };
  expires?: string;
  /** An option, or whom the voter follows. */
  choices: Map<string, { option: string } | { follows: string }>;
  status: "open" | "withdrawn" | "settled" | "applied";
  winner?: string | undefined;
  /** Facts that followed from it. */
  effects: number;
}

/** What a binding result changes, and which field names who or what it is about. */
const effects: Record<string, { type: string; about?: "document" | "node"; who: "owner" | "worker" | "lead" }> = {
  own: { type: "document.owned", about: "document", who: "owner" },
  assign: { type: "node.wanted", about: "node", who: "worker" },
  lead: { type: "run.led", who: "lead" },
};

export function checkBallots(lines: readonly Line[], count: (what: string) => void): Violation[] {
  const found: Violation[] = [];
  const violated = (what: string) => found.push({ invariant: "vote", what });
  const ballots = new Map<string, Ballot>();
  const names = new Map<string, string>();

  for (const { seq, type, data, actor, ts } of lines) {
    const [noun, verb] = type.split(".") as [string, string];
    const id = String(data.proposal);
    const ballot = ballots.get(id);
    if (type === "run.started") {
      ballots.clear();
      names.clear();
    }
    if (type === "worker.spawned") names.set(String(data.name).toLowerCase(), String(data.worker));
    if (type === "run.completed" && actor !== "human") checkEnd(seq, actor);
    const pending = [...ballots].find(([, one]) => one.binding && one.status === "settled");
    if (pending && (noun === "turn" || noun === "tool"))
      violated(`${type} came between the result of ${pending[0]} and its effect, event ${seq}`);
    if (noun !== "proposal") checkEffect(type, data, actor, seq);
    else if (verb === "created")
      ballots.set(id, {
        ...(data as unknown as Pick<Ballot, "options" | "voters" | "rule" | "binding">),
        ...{ by: actor, choices: new Map(), status: "open", effects: 0 },
        ...(data.expires_at ? { expires: String(data.expires_at) } : {}),
      });
    else if (!ballot) violated(`${type} of unknown ${id}, event ${seq}`);
    else if (verb === "voted" || verb === "delegated") {
      const voter = String(data.voter);
      if (ballot.status !== "open") violated(`${id} was ${verb} on while ${ballot.status}, event ${seq}`);
      if (voter !== actor || !ballot.voters.includes(voter))
        violated(`${actor} ${verb} as ${voter} on ${id} of ${ballot.voters.join(", ")}, event ${seq}`);
      ballot.choices.set(voter, verb === "voted" ? { option: String(data.option) } : { follows: String(data.to) });
      count(`proposal ${verb}`);
    } else if (verb === "withdrawn") ballot.status = "withdrawn";
    else if (verb === "settled") {
      const verdict = data.verdict as { result: string; option?: string; why?: string };
      const winner = winnerOf(ballot);
      const told = verdict.result === "won" ? verdict.option : undefined;
      if (told !== winner) violated(`${id} gave ${told ?? verdict.why}, and its votes give ${winner}, event ${seq}`);
      if (data.expired && !(ballot.expires && ballot.expires <= ts))
        violated(`${id} expired before its time, event ${seq}`);
      if (data.expired) count(winner === undefined ? "expired without a winner" : "expired with a winner");
      Object.assign(ballot, { status: "settled", winner });
    } else if (verb === "applied") {
      if (!ballot.binding || ballot.status !== "settled")
        violated(`${id} (${ballot.status}) took effect, event ${seq}`);
      ballot.status = "applied";
      if (ballot.effects) count("binding result");
    }
  }
  return found;

  /** What changes by a vote changes for its winner; only the runtime does that. */
  function checkEffect(type: string, data: Line["data"], actor: string, seq: number): void {
    const [kind, { about, who }] = Object.entries(effects).find(([, effect]) => effect.type === type) ?? [
      "",
      { who: "lead" as const },
    ];
    if (!kind) return;
    const cause = [...ballots.values()].find(
      ({ binding, status, winner }) =>
        status === "settled" &&
        winner !== undefined &&
        binding?.effect === kind &&
        (!about || binding[about] === data[about]) &&
        (names.get(winner.toLowerCase()) ?? winner.toLowerCase()) === data[who],
    );
    if (cause && ++cause.effects > 1) violated(`${type} came twice of one vote, event ${seq}`);
    // Others may own and assign, too; nobody else makes a leader.
    if (!cause && kind === "lead") violated(`${String(data[who])} leads by no vote (${actor}), event ${seq}`);
  }

  function checkEnd(seq: number, actor: string): void {
    const all = [...ballots];
    const open = all.find(([, { status }]) => status === "open");
    if (open && actor === "system") violated(`the run ended while ${open[0]} was open, event ${seq}`);
    const gate = all.findLast(([, { binding, status }]) => binding?.effect === "release" && status !== "withdrawn");
    if (gate && gate[1].winner !== gate[1].options[0])
      violated(`${actor} finished the run, and ${gate[0]} does not allow it, event ${seq}`);
  }
}

/** Which option its rule makes the winner, by the choices that were made so far. */
export function winnerOf({
  options,
  voters,
  by,
  rule,
  choices,
}: Omit<Ballot, "status" | "effects">): string | undefined {
  const choiceOf = (voter: string, steps = voters.length): string | undefined => {
    const choice = choices.get(voter);
    if (!choice || "option" in choice) return choice?.option;
    return steps > 0 ? choiceOf(choice.follows, steps - 1) : undefined;
  };
  const weigh = (chosen: (option: string | undefined) => boolean): number =>
    voters.filter((voter) => chosen(choiceOf(voter))).reduce((sum, voter) => sum + (rule.weights?.[voter] ?? 1), 0);
  const took = voters.filter((voter) => choiceOf(voter) !== undefined).length;
  if (took < rule.quorum) return undefined;
  const sums = options.map((option) => weigh((chosen) => chosen === option));
  const most = Math.max(...sums);
  if (most === 0) return undefined;
  const ahead = options.filter((_, at) => sums[at] === most);
  const needed = weigh((chosen) => chosen !== "abstain");
  if (rule.rule === "majority") return most > needed / 2 ? ahead[0] : undefined;
  if (rule.rule === "unanimous") return most >= needed ? ahead[0] : undefined;
  if (ahead.length === 1 || rule.tie === "first") return ahead[0];
  const own = choiceOf(by);
  return rule.tie === "creator" && own !== undefined && ahead.includes(own) ? own : undefined;
}

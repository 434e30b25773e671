/** The end of a seed: what everyone was told must be so, in the log, in the state and beside them. */
import { fold } from "../src/core/reduce.ts";
import { canonical, emptyState, type State, sameState } from "../src/core/state.ts";
import type { Event } from "../src/schema/event.ts";
import { checkBallots } from "./ballots.ts";
import { checkDocuments, documentCalls } from "./documents.ts";
import { checkEvidence } from "./evidence.ts";
import type { Fleet } from "./fleet.ts";
import { judgeGuests } from "./guests.ts";
import { checkLog, type Line, parseLog } from "./history.ts";
import { limits } from "./host.ts";
import type { Human } from "./human.ts";
import { judgeMail } from "./mail.ts";
import { checkIndex, checkPublished } from "./outcome.ts";
import { judgePost } from "./post.ts";
import { checkQuiet } from "./quiet.ts";
import { sameJson } from "./same.ts";
import { checkFolders, checkVersions } from "./saved.ts";
import { isQuiet, type Setup } from "./setup.ts";
import type { Witness } from "./witness.ts";

export interface Case {
  setup: Setup;
  fleet: Fleet;
  human: Human;
  witness: Witness;
  /** Each agent, with what was durable of it some time before the end. */
  agents: ReadonlyMap<string, number>;
}

/** Resolves with the number of events. */
export async function judge({ setup, fleet, human, witness, agents }: Case): Promise<number> {
  const answered = new Set<string>();
  const runs = new Map<string, string[]>();
  const logs = new Map<string, readonly Line[]>();
  let events = 0;
  fleet.check([...agents.keys()], true);
  for (const [agent, written] of agents) {
    const violated = (invariant: string, what: string) => witness.violated(invariant, `${agent}: ${what}`);
    const state = fleet.opened(agent)?.live.state();
    const bytes = await fleet.log(agent);
    if (!bytes) {
      violated("I1", "there is no log");
      continue;
    }
    const { lines, violations } = parseLog(bytes);
    events += lines.length;
    logs.set(agent, lines);
    for (const line of lines) witness.tell(agent, () => describe(line));
    runs.set(
      agent,
      lines.map(({ run }) => run ?? ""),
    );
    const programs = new Set<string>();
    for (const [index, { type, data, run }] of lines.entries()) {
      witness.count(`event ${type}`);
      if (index > 0) witness.count(`pair ${lines[index - 1]!.type} ${type}`);
      if (type === "worker.spawned" && data.kind === "autonomous") programs.add(`${run} ${data.worker}`);
      if (type === "program.opened") programs.add(`${run} ${data.participant}`);
      // Nobody but its files or its conversation knows what a program answered.
      if (type === "turn.answered" && !programs.has(`${run} ${data.participant}`))
        answered.add(`${agent} ${data.turn} ${run}`);
      if (type === "tool.ended") witness.count(`outcome ${data.outcome}`);
      for (const { tool } of type === "turn.answered" ? (data.calls as { tool: string }[]) : [])
        witness.count(`tool ${tool}`);
      if (type === "context.shortened") witness.count("shortened");
      if (type === "context.filled" && data.why === "overflow") witness.count("overflow");
      if (type === "question.asked" && data.approves) witness.count("asked");
      if (type === "agent.stopped") witness.count("stopped");
      if (type === "node.completed" && data.evidence !== "claimed") witness.count(String(data.evidence));
      if (type === "cycle.began") witness.count("cycle");
      if (type === "run.started" && run !== "r1") witness.count("next_run");
      if (type === "node.created" && data.again) witness.count("done_again");
    }
    const ballots = checkBallots(lines, (what) => witness.count(what));
    for (const { invariant, what } of [...violations, ...checkLog(lines, limits(setup)), ...ballots])
      violated(invariant, what);
    checkHosts(lines, violated, (what) => witness.count(what));
    if (setup.post) judgePost(agent, lines, witness);
    checkTold(human, agent, lines, written, violated);
    if (isQuiet(setup)) checkQuiet(agent, lines, human, witness);
    await human.judge(agent, { lines, state, disk: fleet.owner(agent)?.disk ?? fleet.hosts[0]!.disk, written });
    await checkVersions(lines, (sha256) => fleet.blob(agent, sha256), violated);
    if (!state) continue;
    const folded = fold(emptyState(), lines as unknown as Event[]);
    if (!sameState(folded, state))
      violated("I5", `the state is not the fold of the log\n${difference(canonical(folded), canonical(state))}`);
    checkRest(state, violated);
    const host = fleet.owner(agent)!;
    // With several hosts the files are where they were published, and the log does not say where.
    if (fleet.hosts.length === 1) checkPublished(host.disk, agent, lines, witness);
    await checkFolders(
      host.disk,
      agent,
      lines,
      (sha256) => fleet.blob(agent, sha256),
      violated,
      fleet.hosts.length === 1,
    );
    checkEvidence(fleet.hosts.length === 1 ? host.disk : undefined, agent, lines, witness);
    const index = host.index();
    if (index && setup.index) checkIndex(index, agent, lines, written, witness);
  }
  const calls = documentCalls(logs);
  for (const [agent, lines] of logs)
    await checkDocuments(
      lines,
      calls,
      (sha256) => fleet.blob(agent, sha256),
      (invariant, what) => witness.violated(invariant, `${agent}: ${what}`),
      (what) => witness.count(`changed by ${what}`),
    );
  judgeMail(logs, limits(setup).agent_hops, witness);
  judgeGuests(logs, witness);
  witness.compare(answered, (agent, seq) => runs.get(agent)?.[seq - 1] ?? "");
  return events;
}

type Violated = (invariant: string, what: string) => void;

/** Each host that was opened was allowed, by the config of every simulated home or by an answer before it in its run. */
function checkHosts(lines: readonly Line[], violated: Violated, count: (what: string) => void): void {
  const asked = new Map<string, { subject: string; answer?: string; call?: string }>();
  for (const { type, data, run, seq, actor } of lines) {
    const key = `${run} ${String(data.question)}`;
    if (type === "question.asked" && data.host) asked.set(key, { subject: (data.host as { subject: string }).subject });
    const question = asked.get(key);
    if (type === "question.answered" && question) {
      question.answer = String(data.answer);
      if (actor !== "human") violated("host", `${String(data.question)} was answered by ${actor}, event ${seq}`);
    }
    if (type !== "host.opened") continue;
    count("host opened");
    if (data.question === undefined) {
      if (data.host !== "registry.npmjs.org")
        violated("host", `${String(data.host)} was opened by nobody, event ${seq}`);
      continue;
    }
    if (!question?.answer || question.answer.startsWith("no"))
      violated(
        "host",
        `${String(data.host)} was opened although ${String(data.question)} says ${question?.answer}, event ${seq}`,
      );
    else if (question.answer === "this time" && question.call !== undefined && question.call !== data.call)
      violated("host", `${String(data.question)} was for one command and was used by two, event ${seq}`);
    if (question) question.call = String(data.call);
  }
}

/** What people were told: acknowledgements and the stream. */
function checkTold(human: Human, agent: string, lines: readonly Line[], written: number, violated: Violated): void {
  for (const [key, { agent: whose, seq }] of human.acked) {
    if (whose !== agent) continue;
    const line = lines[seq - 1];
    if (line?.cause?.startsWith(`${key}#`)) continue;
    const found = line ? `${line.type} of ${line.cause}` : "not there";
    violated("I1", `${key} was acknowledged as event ${seq}, which is ${found}`);
  }
  const seen = human.seen.get(agent)!;
  for (const { seq, type, data } of seen) {
    const line = lines[seq - 1];
    if (!sameJson(line?.data, data)) violated("I6", `event ${seq} was shown as ${type} and is now ${line?.type}`);
  }
  const last = seen.at(-1)?.seq ?? 0;
  if (last < written) violated("I16", `the stream ended at ${last} of ${lines.length}`);
}

/** At rest nobody has something to do, and whoever waits waits for something that can happen. */
function checkRest({ agent, run, participants, nodes, questions }: State, violated: Violated): void {
  const going = agent?.status === "active" && run?.status === "open";
  for (const one of participants.values()) {
    // A guest takes its turns elsewhere (guests.ts).
    if (one.kind === "human" || ("ref" in one && one.ref)) continue;
    if (one.turn && agent?.status !== "paused") violated("I4", `${one.turn.id} never ended`);
    if (!going) continue;
    const { wait } = one;
    if (!wait) {
      if (!one.retired && one.unread.some(({ priority }) => priority !== "background"))
        violated("I3", `${one.id} has unread mail and nothing happens`);
      continue;
    }
    const unended = (id: string) => /pending|assigned|running|waiting/.test(nodes.get(id)?.status ?? "");
    const moves =
      wait.for === "question"
        ? questions.get(wait.question)?.status === "open"
        : wait.for === "mail"
          ? one.unread.every(({ priority }) => priority === "background")
          : wait.nodes.some(unended);
    if (!moves) violated("I4", `${one.id} waits for what has happened: ${JSON.stringify(wait)}`);
  }
  for (const node of going ? nodes.values() : [])
    if (node.status === "running" && !node.worker) violated("I4", `${node.id} runs without a worker`);
}

const describe = ({ seq, ts, type, actor, data }: Line): string =>
  `${seq} ${ts.slice(11)} ${type} ${actor} ${JSON.stringify(data).slice(0, 150)}`;

function difference(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at]) at++;
  return `fold: …${a.slice(Math.max(0, at - 100), at + 200)}\nlive: …${b.slice(Math.max(0, at - 100), at + 200)}`;
}

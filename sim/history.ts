/**
 * What an agent's log must look like, whoever wrote it. Reads the raw bytes and keeps its own small model of the rules, so that a mistake in
 * the core's reducers cannot hide itself. Returns the first violation of each kind.
 */
import { crc32 } from "node:zlib";

export interface Line {
  seq: number;
  id: string;
  type: string;
  run?: string;
  actor: string;
  cause?: string;
  ts: string;
  data: Record<string, unknown>;
}

export interface Violation {
  invariant: string;
  what: string;
}

/** The end of a line that was appended together with the next one. */
const more = ',"more":true}';

/** The complete lines of a log; a torn last line is left out, as nothing in it was acknowledged. */
export function parseLog(bytes: Buffer): { lines: Line[]; violations: Violation[] } {
  const violations: Violation[] = [];
  const texts = bytes.toString("utf8").split("\n");
  texts.pop();
  const lines = texts.flatMap((text, index): Line[] => {
    const cut = text.length - (text.endsWith(more) ? 17 + more.length : 18);
    const body = `${text.slice(0, cut)}}`;
    const sum = text.slice(cut + 8, cut + 16);
    if (crc32(body).toString(16).padStart(8, "0") !== sum) {
      violations.push({ invariant: "I7", what: `line ${index + 1} has a wrong checksum: ${text.slice(0, 80)}` });
      return [];
    }
    return [JSON.parse(text) as Line];
  });
  for (const [index, text] of texts.entries()) {
    const next = lines[index + 1]?.type;
    if (text.endsWith(more) && (next === undefined || next === "log.repaired"))
      violations.push({ invariant: "I7", what: `line ${index + 1} is half a command: ${next ?? "nothing"} follows` });
  }
  return { lines, violations };
}

/** What is said of a node without changing where it stands. */
const says = new Set(["node.wanted", "node.checkpointed", "node.rejected"]);
const ends = new Set(["node.completed", "node.failed", "node.cancelled"]);

const stepsIn = ({ team }: Line["data"]): number =>
  (team as { setup?: unknown[] } | null | undefined)?.setup?.length ?? 0;

export function checkLog(lines: readonly Line[], limits: { resumes: number }): Violation[] {
  const found = new Map<string, Violation>();
  const violated = (invariant: string, what: string) => {
    if (!found.has(invariant)) found.set(invariant, { invariant, what });
  };
  const nodes = new Map<string, { status: string; worker?: string; needs: string[] }>();
  const holds = new Map<string, string>();
  const turns = new Map<
    string,
    {
      open: boolean;
      reserved: number;
      resumed: number;
      orderly: boolean;
      upto: number;
      answered: boolean;
      calls: Map<string, "asked" | "started" | "ended">;
    }
  >();
  /** How far each participant has handled its mail. */
  const handled = new Map<string, number>();
  const names = new Set<string>();
  const fires = new Set<string>();
  const keys = new Map<string, { command: string; last: number }>();
  const proposals = new Map<string, string>();
  let run = "";
  let isLed = true;
  let prepared: { run: string; steps: number; passed: number } | undefined;

  for (const [index, { seq, type, data, cause, id }] of lines.entries()) {
    if (seq !== index + 1) violated("I7", `event ${index + 1} says seq ${seq}`);
    const [noun, verb] = type.split(".") as [string, string];
    const node = data.node as string | undefined;
    if (cause?.includes("#")) {
      const [key, print] = cause.split("#") as [string, string];
      const seen = keys.get(key);
      if (seen && seen.last !== seq - 1)
        violated("I1", `the command with key ${key} was done twice: events ${seen.last} and ${seq} (${type})`);
      keys.set(key, { command: print, last: seq });
    }
    if (type === "run.preparing") prepared = { run: String(data.run), steps: stepsIn(data), passed: 0 };
    if (type === "setup.ended") {
      const [step, passed] = [Number(data.step), prepared?.run === data.run ? prepared?.passed : undefined];
      if (step !== (passed ?? -1) + 1)
        violated("setup", `step ${step} ended after ${passed ?? "no"} steps of ${String(data.run)}, event ${seq}`);
      else if (data.outcome === "passed") prepared!.passed = step;
    }
    if (prepared && (noun === "turn" || noun === "message"))
      violated("setup", `${type} while ${prepared!.run} was being prepared, event ${seq}`);
    if (type === "run.started") {
      if (prepared ? prepared.passed < prepared.steps : stepsIn(data) > 0)
        violated("setup", `${String(data.run)} started before its setup had passed, event ${seq}`);
      prepared = undefined;
      run = data.run as string;
      isLed = (data.team as { lead?: boolean } | null | undefined)?.lead !== false;
      nodes.clear();
      holds.clear();
      names.clear();
      turns.clear();
      handled.clear();
      proposals.clear();
    }
    if (type === "worker.spawned") {
      const name = String(data.name).toLowerCase();
      if (names.has(name)) violated("names", `${data.name} exists twice in ${run}`);
      names.add(name);
    }
    if (noun === "node" && node) {
      const known = nodes.get(node);
      if (verb === "created") {
        const needs = data.depends_on as string[];
        for (const need of needs)
          if (!nodes.has(need)) violated("I13", `${node} depends on ${need}, which does not exist`);
        nodes.set(node, { status: "created", needs });
      } else if (!known) violated("I14", `${type} of unknown ${node}`);
      else if (ends.has(`node.${known.status}`))
        violated("I14", `${node} was ${known.status} and then ${verb} (event ${seq})`);
      else {
        const worker = (data.worker as string | undefined) ?? known.worker;
        if (verb === "assigned") {
          if (known.status !== "created" && known.status !== "retried")
            violated("I11", `${node} was assigned while ${known.status} (event ${seq})`);
          if (holds.has(worker!))
            violated("I11", `${worker} got ${node} while holding ${holds.get(worker!)} (event ${seq})`);
          holds.set(worker!, node);
        }
        if (verb === "assigned" || verb === "started") {
          const open = known.needs.filter((need) => nodes.get(need)?.status !== "completed");
          if (open.length)
            violated("I13", `${node} was ${verb} before ${open.join(", ")} was completed (event ${seq})`);
        }
        if ((ends.has(type) || verb === "retried") && worker) holds.delete(worker);
        if (!says.has(type)) nodes.set(node, { ...known, status: verb, worker });
      }
    }
    const charged = noun === "turn" ? ((data.cost ?? data.lost) as { usd: number } | undefined) : undefined;
    const reserved = turns.get(data.turn as string)?.reserved ?? 0;
    if (charged && charged.usd > reserved + 1e-9)
      violated("I9", `${data.turn} was charged ${charged.usd}, and ${reserved} were reserved (event ${seq})`);
    if ((noun === "turn" && verb !== "queued") || noun === "tool") {
      const turn = data.turn as string;
      const who = data.participant as string;
      const known = turns.get(turn);
      if (type === "turn.started") {
        if (known) violated("I4", `${turn} was started twice`);
        for (const [other, { open }] of turns)
          if (open && other.startsWith(`${who}.`)) violated("I11", `${who} began ${turn} while ${other} was open`);
        turns.set(turn, {
          reserved: (data.reserved as { usd: number }).usd,
          ...{ open: true, resumed: 0, orderly: false, upto: data.upto as number, answered: false },
          calls: new Map(),
        });
        if ((data.upto as number) < (handled.get(who) ?? 0))
          violated("I2", `${turn} consumes up to ${data.upto}, but ${handled.get(who)} was handled before`);
      } else if (!known?.open) violated("I4", `${type} of ${turn}, which is not open (event ${seq})`);
      else if (type === "turn.resumed") {
        // Going on after an orderly end is no recovery.
        if (!known.orderly) known.resumed++;
        known.orderly = false;
        if (known.resumed > limits.resumes) violated("I21", `${turn} was resumed ${known.resumed} times`);
      } else if (type === "turn.answered") {
        known.resumed = 0;
        known.answered = true;
        for (const call of data.calls as { id: string }[]) known.calls.set(call.id, "asked");
      } else if (type === "tool.started") {
        if (known.calls.get(data.call as string) !== "asked") violated("I10", `${turn}/${data.call} was started twice`);
        known.resumed = 0;
        known.calls.set(data.call as string, "started");
      } else if (type === "tool.ended") {
        if (known.calls.get(data.call as string) === "ended") violated("I8", `${turn}/${data.call} has two results`);
        known.resumed = 0;
        known.upto = Math.max(known.upto, (data.upto as number | undefined) ?? 0);
        known.calls.set(data.call as string, "ended");
      } else if (type === "turn.ended" || type === "turn.failed") {
        if (type === "turn.ended")
          for (const [call, status] of known.calls)
            if (status !== "ended") violated("I8", `${turn} ended without a result for ${call}`);
        known.open = false;
        const isOwn = isOwnFailure(who, data.reason as { code: string } | undefined) && (isLed || holds.has(who));
        if (type === "turn.ended" || known.answered || isOwn)
          handled.set(who, Math.max(handled.get(who) ?? 0, known.upto));
      }
    }
    if (type === "log.closed") for (const one of turns.values()) one.orderly = true;
    if (type === "inbox.acked") {
      const who = data.participant as string;
      if ((data.upto as number) <= (handled.get(who) ?? 0)) violated("I2", `${who} acked ${data.upto} backwards`);
      handled.set(who, data.upto as number);
    }
    if (type === "trigger.fired") {
      if (fires.has(data.fire as string)) violated("I15", `${data.fire} fired twice`);
      fires.add(data.fire as string);
    }
    if (noun === "proposal") {
      const before = proposals.get(data.proposal as string);
      if (verb === "applied" ? before !== "settled" : ["settled", "withdrawn", "applied"].includes(before ?? ""))
        violated("I14", `${data.proposal} was ${before} and then ${verb}`);
      proposals.set(data.proposal as string, verb);
    }
    if (!id.endsWith(`/${seq}`)) violated("I7", `event ${seq} has the id ${id}`);
  }
  return [...found.values()];
}

/** A worker's turn that would only fail again: its mail counts as handled, unless nobody leads and it has no node. Any other that got no answer leaves its mail unread. */
const isOwnFailure = (who: string, { code } = { code: "" }): boolean =>
  who !== "coordinator" && !["interrupted", "recovery", "budget", "provider"].includes(code);

/**
 * A participant that an agent CLI drives (driver/driver.ts). To the loop it is a backend whose call is one turn of the program: it starts the
 * program with its conversation of before, gives it what is new, and ends with its last words. Everything it does meanwhile is in the log: its
 * tools, what it says between them, what it uses, the id of its conversation.
 *
 * Always holds: one program at a time for a participant, and none is left when the call has ended, however it ended. What it uses is charged as it
 * comes; when a budget is exceeded its turn ends. After a crash the same turn starts the program again with its conversation.
 * Not here: which programs there are and how they reach us (host.ts), what they call of ours (tool-calls.ts), how their model calls are metered
 * (metering.ts), what is recorded of its turn and what reaches it meanwhile (cli-play.ts).
 */
import { join } from "node:path";
import { type Backend, BackendError, type Part, type Request } from "../../backend/backend.ts";
import { noAmount } from "../../core/agent/budget.ts";
import { isLive } from "../../core/lookup.ts";
import { lineage } from "../../core/team/sub-worker.ts";
import { callKey } from "../../core/turn/call-key.ts";
import type { End, Session } from "../../driver/driver.ts";
import { startCli } from "../../driver/session/start.ts";
import { programRoot, programTag } from "../../home/layout.ts";
import { shortenMiddle } from "../../lib/text/text.ts";
import { runRules } from "../../loop/features/policy.ts";
import { storageFailed } from "../../schema/disk-error.ts";
import type { Node } from "../../schema/node.ts";
import type { Thinker } from "../../schema/worker.ts";
import { createHostGate } from "../network/host-gate.ts";
import { createWorkplace } from "../workspace/participant-files.ts";
import { assertProgramAllowed } from "./allowed.ts";
import { playTurn } from "./cli-play.ts";
import { mostSaid } from "./cli-record.ts";
import { type CliOptions, createCliTurn } from "./cli-turn.ts";
import { createDoing } from "./doing.ts";
import type { CliDriver, Installed } from "./host.ts";
import { asksAbout } from "./native-tools.ts";
import { goOn, promptOf } from "./prompt.ts";

/** Nodes that a new conversation is told of. */
const mostNodes = 20;
/** How long its last model calls may take to be recorded once it has ended. */
const settleMs = 2_000;

export function createCliBackend(id: string, driver: CliDriver, name: string, options: CliOptions): Backend {
  return {
    name,
    worst: () => noAmount,
    async *call(request, signal) {
      try {
        yield* createTurn(id, driver, name, options, request, signal);
      } catch (error) {
        throw isDiskError(error)
          ? new BackendError("transient", storageFailed("prepare the files of", name, error).message)
          : error;
      }
    },
  };
}

/** A full disk is not a bug: the turn is tried again. */
const isDiskError = (error: unknown): boolean => error instanceof Error && "syscall" in error;

async function* createTurn(
  id: string,
  driver: CliDriver,
  name: string,
  options: CliOptions,
  request: Request,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const { home, live, world, programs, metering } = options;
  const { agent, state } = live;
  const by = createCliTurn(id, name, options);
  const { turn, me } = by;
  const run = state().run!.id;
  if (!programs)
    throw new BackendError("permanent", `${name} cannot be run here: programs are not available in this process`);
  assertProgramAllowed(me(), options, true);
  by.assertAffordable();

  const installed = await programs.prepare(driver, { agent, run, participant: id }, signal);
  const workplace = createWorkplace({
    home,
    agent,
    run,
    me: me(),
    state,
    world,
    withheld: options.withheld,
    checkouts: options.checkouts,
  });
  const own = join(programRoot(home, agent, run), id);
  options.programHomes.add(agent);
  const { folder, over, ...reads } = await workplace.place();
  const kill = new AbortController();
  const stop = () => kill.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  // A new node is a new folder.
  const known = me().session;
  const isThere = known?.node === turn.node || !installed.cli.staysPut;
  let resume = known?.driver === name && isThere ? known : undefined;
  try {
    for (;;) {
      signal.throwIfAborted();
      const session = await start(installed, resume);
      const end = yield* playTurn(by, installed, session, textFor(resume !== undefined), signal);
      if (end.how === "done" || hasHandedOver()) {
        await metering.idle(id, settleMs);
        if (end.how === "done") yield { type: "text", text: shortenMiddle(end.text, mostSaid) };
        yield { type: "end", cost: noAmount, stop: "done" };
        return;
      }
      const over = by.overdrawn();
      if (over) throw over;
      if (end.how === "failed" && end.reason === "conversation" && resume) {
        const text = `its conversation is lost (${end.why}); it begins a new one`;
        by.record({ type: "program.report", ...by.of, kind: "notice", text });
        resume = undefined;
        continue;
      }
      signal.throwIfAborted();
      throw failureOf(end, installed.doubt);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    kill.abort();
    over();
  }

  /** The first prompt of a turn that a crash interrupted was given already, if its conversation began in it or before. */
  function textFor(goesOn: boolean): string {
    const prompt = promptOf(request, goesOn, [...state().nodes.values()].filter(isEnded).slice(-mostNodes));
    return goesOn && turn.resumed + turn.retried > 0 ? `${goOn}\n\n${prompt}` : prompt;
  }

  function isEnded(node: Node): boolean {
    return "worker" in node && node.worker === id && !isLive(node);
  }

  function start({ cli, launch, sandbox }: Installed, known: Thinker["session"]): Promise<Session> {
    const { counted } = known ?? {};
    const gate = createHostGate(options, { participant: id, ...createDoing(id, turn.id, cli.title, options) });
    const admit: typeof gate.admit = (host, signal) =>
      hasHandedOver() ? Promise.resolve(`${host} may not be reached: the turn is over`) : gate.admit!(host, signal);
    return startCli(cli, {
      launch: {
        ...launch,
        system: request.system,
        workspace: folder,
        home: join(own, "home"),
        resume: known?.id,
        asks: asksAbout([...options.policy, ...runRules(state())], lineage(state(), me()), options.all),
      },
      tag: `${programTag(home)}${callKey(state(), turn.id, "program")}`,
      world,
      signal: kill.signal,
      ...(counted ? { counted } : {}),
      ...(sandbox ? { sandbox: { ...sandbox, ...reads, ...(gate.admit && { admit }) } } : {}),
    });
  }

  /** It published or finished: what it would still say is not needed, and would cost. */
  function hasHandedOver(): boolean {
    return by.calling()?.own?.final === true;
  }
}

/** A version that nobody tested may be why it does not do what we expect. */
const strange: ReadonlySet<string> = new Set(["version", "protocol", "exit"]);

function failureOf(end: Exclude<End, { how: "done" }>, doubt: string | undefined): BackendError {
  if (end.how === "aborted") return new BackendError("transient", "it was interrupted");
  const version = doubt && strange.has(end.reason) ? ` (its version is ${doubt})` : "";
  const last = end.output ? `; its last output: ${end.output.slice(-1_000)}` : "";
  return new BackendError(end.kind, `${end.why}${version}${last}`.toWellFormed());
}

/**
 * A participant that an agent CLI drives (driver/driver.ts). To the loop it is a backend whose call is one turn of the program: it starts the
 * program with its conversation of before, gives it what is new, and ends with its last words. Everything it does meanwhile is in the log: its
 * tools, what it says between them, what it uses, the id of its conversation.
 *
 * Always holds: one program at a time for a participant, and none is left when the call has ended, however it ended. What it uses is charged as it
 * comes; when a budget is exceeded its turn ends. After a crash the same turn starts the program again with its conversation.
 * Not here: which programs there are and how they reach us (host.ts), what they call of ours (tool-calls.ts), how their model calls are metered
 * (metering.ts).
 */
import { join } from "node:path";
import { type Backend, BackendError, type Part, type Request } from "../../backend/backend.ts";
import { accountsOf, noAmount, overdraftProblem } from "../../core/budget.ts";
import { leads } from "../../core/lead.ts";
import { decisionOn } from "../../core/question.ts";
import { callKey } from "../../core/tool-call.ts";
import type { Activity, End, Session } from "../../driver/driver.ts";
import { startCli } from "../../driver/start.ts";
import { programRoot, programTag } from "../../home/layout.ts";
import { shortenMiddle } from "../../lib/text.ts";
import type { World } from "../../lib/world.ts";
import { inputText, judge } from "../../loop/features/policy.ts";
import type { CommandInput } from "../../schema/command.ts";
import type { PolicyRule } from "../../schema/config.ts";
import { Problem } from "../../schema/problem.ts";
import type { Turn } from "../../schema/turn.ts";
import type { Thinker } from "../../schema/worker.ts";
import { offered } from "../../toolkit/offered.ts";
import type { Tool } from "../../toolkit/tool.ts";
import type { Live } from "../live.ts";
import { createWorkplace } from "../workspace/participant-files.ts";
import { sha256 } from "../workspace/publish.ts";
import type { CliDriver, Installed, ProgramHost } from "./host.ts";
import type { Metering } from "./metering.ts";
import { ownTool } from "./native-tools.ts";
import { goOn, mailText, promptOf } from "./prompt.ts";

export interface CliOptions {
  home: string;
  live: Live;
  world: World;
  policy: readonly PolicyRule[];
  all: readonly Tool[];
  withheld: string;
  programs?: ProgramHost | undefined;
  metering: Metering;
  /** Resolves when the state has changed. */
  changed(signal: AbortSignal): Promise<void>;
  redact(text: string): string;
}

/** Characters that are recorded of one input or result of its own tools. */
const mostInput = 20_000;
const mostResult = 20_000;
/** How long its last model calls may take to be recorded once it has ended. */
const settleMs = 2_000;

export function createCliBackend(id: string, driver: CliDriver, name: string, options: CliOptions): Backend {
  return {
    name,
    worst: () => noAmount,
    call: (request, signal) => createTurn(id, driver, name, options, request, signal),
  };
}

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
  const me = () => state().participants.get(id) as Thinker;
  const turn = me().turn!;
  const of = { turn: turn.id, participant: id };
  const run = state().run!.id;
  /** What is refused came too late: its turn was given up, and its signal says so. */
  const record = (command: CommandInput): void => {
    try {
      live.dispatch(command, { actor: id }).catch(() => undefined);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
    }
  };
  if (!programs)
    throw new BackendError("permanent", `${name} cannot be run here: programs are not available in this process`);
  assertAllowed(me(), options);
  assertAffordable();

  const installed = await programs.prepare(driver, { agent, run, participant: id }, signal);
  const workplace = createWorkplace({ home, agent, run, me: me(), state, world, withheld: options.withheld });
  const own = join(programRoot(home, agent, run), id);
  const { folder, ...reads } = await (turn.node || leads(state(), id) ? workplace.place() : desk());
  const kill = new AbortController();
  const stop = () => kill.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  // Conversations belong to a folder, and a new node is a new folder.
  const known = me().session;
  let resume = known?.driver === name && known.node === turn.node ? known : undefined;
  try {
    for (;;) {
      signal.throwIfAborted();
      const session = await start(installed, resume);
      const end = yield* play(session, textFor(resume !== undefined));
      if (end.how === "done" || hasHandedOver()) {
        await metering.idle(id, settleMs);
        if (end.how === "done") yield { type: "text", text: end.text };
        yield { type: "end", cost: noAmount, stop: "done" };
        return;
      }
      const over = overdrawn();
      if (over) throw over;
      if (end.how === "failed" && end.reason === "conversation" && resume) {
        record({
          type: "program.report",
          ...of,
          kind: "notice",
          text: `its conversation is lost (${end.why}); it begins a new one`,
        });
        resume = undefined;
        continue;
      }
      signal.throwIfAborted();
      throw failureOf(end);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    kill.abort();
  }

  /** Between two nodes it has no scratch, and can still be talked with. */
  async function desk(): Promise<{ folder: string; read: string[] }> {
    const folder = join(own, "desk");
    await world.files.makeDir(folder);
    return { folder, read: [] };
  }

  /** The first prompt of a turn that a crash interrupted was given already, if its conversation began in it or before. */
  function textFor(goesOn: boolean): string {
    const prompt = promptOf(request, goesOn);
    return goesOn && turn.resumed + turn.retried > 0 ? `${goOn}\n\n${prompt}` : prompt;
  }

  function start({ cli, launch, sandbox }: Installed, known: Thinker["session"]): Promise<Session> {
    const { counted } = known ?? {};
    return startCli(cli, {
      launch: {
        ...launch,
        system: request.system,
        workspace: folder,
        home: join(own, "home"),
        resume: known?.id,
        asks: options.policy.some((rule) => rule.do !== "allow"),
      },
      tag: `${programTag(home)}${callKey(state(), turn.id, "program")}`,
      world,
      signal: kill.signal,
      ...(counted ? { counted } : {}),
      ...(sandbox ? { sandbox: { ...sandbox, ...reads } } : {}),
    });
  }

  async function* play(session: Session, prompt: string): AsyncGenerator<Part, End> {
    const calls = new Map<string, string | undefined>();
    const listening = new AbortController();
    const interrupt = () => session.interrupt();
    signal.addEventListener("abort", interrupt, { once: true });
    void attend(session, listening.signal);
    let said = "";
    const report = () => {
      const text = said.trim();
      said = "";
      if (text)
        record({ type: "program.report", ...of, kind: "text", text: shortenMiddle(options.redact(text), mostResult) });
    };
    try {
      for await (const activity of session.prompt(prompt)) {
        switch (activity.type) {
          case "conversation":
            record({ type: "program.open", ...of, driver: name, session: activity.id });
            await live.durable();
            break;
          case "text":
            said += activity.text;
            yield { type: "thought", text: activity.text };
            break;
          case "thought":
            yield activity;
            break;
          case "tool":
            report();
            calls.set(activity.id, startTool(activity));
            break;
          case "result":
            endTool(calls.get(activity.id), activity);
            calls.delete(activity.id);
            break;
          case "usage":
            use(activity);
            if (overdrawn()) session.interrupt();
            break;
          case "permission":
            void permit(session, activity, listening.signal);
            break;
          case "notice":
            record({
              type: "program.report",
              ...of,
              kind: "notice",
              text: options.redact(activity.text).slice(0, 2_000),
            });
            break;
          case "end":
            if (activity.how !== "done") report();
            return activity;
        }
        await world.point?.("program.activity");
      }
      throw new BackendError("transient", `${name} ended its turn without saying so`);
    } finally {
      listening.abort();
      signal.removeEventListener("abort", interrupt);
      for (const call of calls.values())
        endTool(call, {
          type: "result",
          id: "",
          outcome: "error",
          text: "It had not ended when the turn did.",
          files: [],
        });
      await session.close();
    }
  }

  /** What it does with its own tools. Ours are recorded where they are called. */
  function startTool({ name: tool, input }: Extract<Activity, { type: "tool" }>): string | undefined {
    if (tool.includes(installed.launch.mcp?.name ?? "\0")) return undefined;
    record({ type: "program.act", ...of, tool: tool.slice(0, 100) || "tool", input: shortInput(input) });
    const now = me()?.turn;
    return now?.id === turn.id && now.status === "calling" ? now.own?.open.at(-1)?.id : undefined;
  }

  function endTool(call: string | undefined, { outcome, text, files }: Extract<Activity, { type: "result" }>): void {
    if (call === undefined) return;
    const touched = files.length ? `\n[files: ${files.slice(0, 50).join(", ")}]` : "";
    const result = shortenMiddle(options.redact(text), mostResult) + touched;
    record({ type: "tool.end", ...of, call, outcome, result, progress: outcome === "ok" ? "work" : "none" });
  }

  function shortInput(input: unknown): unknown {
    const text = options.redact(JSON.stringify(input ?? {}));
    return text.length > mostInput ? { shortened: shortenMiddle(text, mostInput) } : JSON.parse(text);
  }

  /** A program on its own login says itself what it used; one on our gateway is metered there. */
  function use({ input, output, cacheRead, cacheWrite, usd, counted }: Extract<Activity, { type: "usage" }>): void {
    if (installed.launch.gateway) return;
    const tokens = { input, output, cache_read: cacheRead, cache_write: cacheWrite };
    const usage = { model: name, ...tokens, priced: usd !== undefined };
    record({ type: "program.settle", ...of, cost: { usd: usd ?? 0, tokens: input + output }, usage, counted });
  }

  /** While it works: new messages reach it, if it can hear them, and it ends once it has handed its work over. */
  async function attend(session: Session, until: AbortSignal): Promise<void> {
    let hears = installed.cli.hears === "now";
    while (!until.aborted) {
      const now = me()?.turn;
      if (now?.id !== turn.id || now.status !== "calling") return;
      if (now.own?.final) return session.interrupt();
      const mail = hears ? me().unread.filter(({ seq, priority }) => seq > now.upto && priority !== "background") : [];
      const last = mail.at(-1);
      if (last) hears = session.say(mailText(mail));
      if (last && hears) record({ type: "program.tell", ...of, upto: last.seq });
      await options.changed(until);
    }
  }

  /** It published or finished: what it would still say is not needed, and would cost. */
  function hasHandedOver(): boolean {
    const now = me()?.turn;
    return now?.id === turn.id && now.status === "calling" && now.own?.final === true;
  }

  async function permit(session: Session, asked: Extract<Activity, { type: "permission" }>, until: AbortSignal) {
    const tool = ownTool(asked.name, asked.about);
    const verdict = judge(options.policy, tool, me());
    if (verdict.do === "allow") return session.permit(asked.id, { allow: true });
    if (verdict.do === "deny") return session.permit(asked.id, { allow: false, why: verdict.why });
    // By what it wants: after a crash the same request finds the answer that was given.
    const call = `may-${sha256(JSON.stringify([asked.name, asked.input])).slice(0, 16)}`;
    const about = { turn: turn.id, call, tool: tool.name };
    const text = `May ${me().name} use ${asked.name}? ${verdict.why}\n${options.redact(inputText(asked.input))}`;
    record({ type: "program.ask", ...of, call, tool: tool.name, text });
    while (!until.aborted) {
      const word = decisionOn(state(), id, about);
      if (word?.status === "answered") {
        const allow = word.answer === "allow";
        return session.permit(asked.id, allow ? { allow } : { allow, why: `the human said ${word.answer}` });
      }
      if (word && word.status !== "open") return session.permit(asked.id, { allow: false, why: "nobody answered" });
      await options.changed(until);
    }
  }

  /** A budget above it is exceeded or used up: everything it used counts. */
  function overdrawn(): Problem | undefined {
    const refused = metering.refusal(id, turn.id);
    if (refused) return refused;
    const now = me()?.turn;
    const { node, reserved_at } = (now ?? turn) as Turn;
    return overdraftProblem(state(), accountsOf(id, node, reserved_at), noAmount);
  }

  function assertAffordable(): void {
    const problem = overdraftProblem(state(), accountsOf(id, turn.node, turn.reserved_at), { usd: 1e-8, tokens: 1 });
    if (problem) throw problem;
  }
}

function assertAllowed(me: Thinker, { policy, all, live }: CliOptions): void {
  const bash = offered(all, live.state().agent?.tools).find(({ name }) => name === "bash");
  const verdict = bash ? judge(policy, bash, me) : ({ do: "deny", why: "this agent cannot run programs" } as const);
  if (verdict.do !== "deny") return;
  throw new BackendError("permanent", `the program of ${me.name} was not started: ${verdict.why}`);
}

function failureOf(end: Exclude<End, { how: "done" }>): BackendError {
  if (end.how === "aborted") return new BackendError("transient", "it was interrupted");
  const last = end.output ? `; its last output: ${end.output.slice(-1_000)}` : "";
  return new BackendError(end.kind, `${end.why}${last}`.toWellFormed());
}

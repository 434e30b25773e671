/**
 * Starts a CLI and opens a session with it. A failed start is a session, too: its turns fail, and say why.
 *
 * In a sandbox it writes only in its workspace and its home, reads the program, and reaches the ports and hosts it was given. Without one
 * (`sandbox` is missing) it has our permissions. Either way its child processes end with it.
 */
import { dirname } from "node:path";
import type { World } from "../lib/world.ts";
import type { Cli, Counted, Failure, LaunchOptions, Limits, Session } from "./driver.ts";
import { createEachTurn } from "./each-turn.ts";
import { withFallback } from "./fallback.ts";
import { failedSession } from "./session.ts";

export interface StartOptions {
  launch: LaunchOptions;
  /** The tag of its processes (Program.tag). */
  tag: string;
  world: Pick<World, "clock" | "random" | "files" | "processes">;
  /** Aborting kills it. */
  signal: AbortSignal;
  counted?: Counted | undefined;
  limits?: Partial<Limits>;
  /** Folders of the program, to read; our ports and hosts that it may reach. */
  sandbox?: { programs: string[]; ports: number[]; hosts: string[]; read?: string[]; project?: string } | undefined;
}

/** Characters kept of its standard error. */
const output = 20_000;

export async function startCli(cli: Cli, options: StartOptions): Promise<Session> {
  const { fallback } = cli;
  if (cli.cannotAsk && options.launch.asks)
    return failedSession({ reason: "version", why: `this way to run ${cli.title} cannot ask for permission` });
  if (cli.oneTurn)
    return createEachTurn({ resume: options.launch.resume, counted: options.counted }, ({ resume, counted }) =>
      startOnce(cli, { ...options, launch: { ...options.launch, resume }, counted }),
    );
  const session = await startOnce(cli, options);
  const isUseful = fallback && !(fallback.cannotAsk && options.launch.asks);
  return isUseful ? withFallback(session, () => startCli(fallback, options)) : session;
}

async function startOnce(cli: Cli, options: StartOptions): Promise<Session> {
  const { launch, tag, world, signal, counted, limits, sandbox } = options;
  const { files, clock, random, processes } = world;
  const outside = async (): Promise<Failure | undefined> =>
    (await files.stat(launch.workspace))?.kind === "folder"
      ? undefined
      : { reason: "workspace", why: `the workspace ${launch.workspace} is not there any more` };
  const gone = await outside();
  if (gone) return failedSession(gone);
  if (!(await files.stat(launch.file)))
    return failedSession({ reason: "missing", why: `${cli.title} is not there: no program at ${launch.file}` });

  const { command, env, files: given, folders = [] } = cli.launch(launch);
  for (const folder of new Set([launch.home, ...folders, ...given.map(({ path }) => dirname(path))]))
    await files.makeDir(folder);
  for (const file of given) {
    const text = "text" in file ? file.text : await files.read(file.from);
    if (text !== null) await files.write(file.path, text, { durable: false, mode: 0o600 });
  }

  const stop = new AbortController();
  const abort = () => stop.abort();
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    const running = await processes.start({
      command,
      env,
      tag,
      folder: launch.workspace,
      signal: stop.signal,
      output,
      alone: true,
      ...(sandbox && {
        sandbox: {
          write: [launch.workspace, launch.home],
          read: sandbox.read ?? [],
          ...(sandbox.project === undefined ? {} : { project: sandbox.project }),
          programs: sandbox.programs,
          hosts: sandbox.hosts,
          ports: sandbox.ports,
        },
      }),
    });
    void running.exit.finally(() => signal.removeEventListener("abort", abort));
    return cli.open(running, { clock, random, launch, stop: abort, outside, counted, ...(limits && { limits }) });
  } catch (error) {
    signal.removeEventListener("abort", abort);
    const why = error instanceof Error ? error.message : String(error);
    return failedSession({ reason: "missing", why: `${cli.title} could not be started: ${why}` });
  }
}

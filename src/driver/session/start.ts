/**
 * Starts a CLI and opens a session with it. A failed start is a session, too: its turns fail, and say why. Throws only what the disk says.
 *
 * In a sandbox it writes only in its workspace and its home, reads the program, and reaches the ports and hosts it was given. Without one
 * (`sandbox` is missing) it has our permissions. Either way its child processes end with it.
 */
import { join, relative } from "node:path";
import type { Sandbox, World } from "../../lib/world.ts";
import type { Cli, Counted, Failure, LaunchOptions, Limits, Session } from "../driver.ts";
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
  sandbox?:
    | ({ programs: string[]; ports: number[]; read?: string[] } & Pick<Sandbox, "hosts" | "admit" | "projects">)
    | undefined;
}

/** Something else is where we would write (Within). A full disk is not that. */
const refused: ReadonlySet<string> = new Set(["ELOOP", "EMLINK", "EFTYPE", "EISDIR", "ENOTDIR"]);

/** Characters kept of its standard error. */
const output = 20_000;

export async function startCli(cli: Cli, options: StartOptions): Promise<Session> {
  const { fallback } = cli;
  if (cli.cannotAsk && options.launch.asks)
    return failedSession({
      reason: "version",
      why:
        `this version of ${cli.title} cannot ask for permission, and a rule of your policy says that it must. ` +
        `Install a newer one (${cli.install}), or allow in the policy what it does by itself: bash, edit_file, write_file, web_fetch, read_file`,
    });
  if (cli.oneTurn)
    return createEachTurn({ resume: options.launch.resume, counted: options.counted }, ({ resume, counted }) =>
      startOnce(cli, { ...options, launch: { ...options.launch, resume }, counted }),
    );
  const session = await startOnce(cli, options);
  return fallback ? withFallback(session, () => startCli(fallback, options)) : session;
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

  await files.makeDir(launch.home);
  // It can write there, so what it left may be a link that leads out.
  const home = files.within(launch.home);
  const inHome = (path: string) => relative(launch.home, path);
  const conversation = launch.resume && (await cli.conversationFile?.(home, launch.resume));
  const resume = conversation ? join(launch.home, conversation) : launch.resume;
  const { command, env, files: given, folders = [] } = cli.launch({ ...launch, resume });
  try {
    if (launch.resume) await cli.beforeResume?.(home, launch.resume);
    for (const folder of folders) await home.makeDir(inHome(folder));
    for (const { path, text } of given) await home.write(inHome(path), text, { durable: false });
  } catch (error) {
    if (!refused.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return failedSession({ reason: "workspace", why: `the home of ${cli.title} cannot be written: ${String(error)}` });
  }
  /** A login that was lent is not left lying around. */
  const tidy = async () => {
    for (const { path, passing } of given) if (passing) await home.remove(inHome(path)).catch(() => undefined);
  };

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
          ...(sandbox.projects && { projects: sandbox.projects }),
          programs: sandbox.programs,
          hosts: sandbox.hosts,
          ports: sandbox.ports,
          ...(sandbox.admit && { admit: sandbox.admit }),
        },
      }),
    });
    const exit = running.exit.finally(() => {
      signal.removeEventListener("abort", abort);
      return tidy();
    });
    return cli.open(
      { ...running, exit },
      { clock, random, launch, stop: abort, outside, counted, ...(limits && { limits }) },
    );
  } catch (error) {
    signal.removeEventListener("abort", abort);
    await tidy();
    const why = error instanceof Error ? error.message : String(error);
    return failedSession({ reason: "missing", why: `${cli.title} could not be started: ${why}` });
  }
}

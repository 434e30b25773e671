/**
 * The daemon has the environment that it was started with. Whoever makes agents work, or looks whether they could, hands over what is set here
 * and is something else there: a key that was exported since, or the right one after a wrong one.
 *
 * Always holds: only variables that a provider or the home's config asks for; only to a daemon that has proved that it is ours (find.ts), of a
 * home that may be used; a value travels only if it differs, and lies in the daemon's memory only. What is not set here stays as it is there.
 */
import type { environmentRoutes } from "../../api/environment.ts";
import type { AnswerOf } from "../../api/route.ts";
import { shellLine } from "../../lib/command-line.ts";
import { markOf } from "../../server/auth/proof.ts";
import { refusalOf } from "../home/environment.ts";
import { variablesOf } from "../home/known-secrets.ts";
import { readSettings } from "../home/settings.ts";
import { askDaemon, type RunningDaemon } from "./find.ts";

type Environment = AnswerOf<(typeof environmentRoutes)["getEnvironment"]>;

/** Says what was done, and what of config.yaml does not count as it is. Does nothing with a daemon that does not know of it. */
export async function handOver(
  home: string,
  daemon: Pick<RunningDaemon, "url" | "token">,
  tell: (line: string) => void,
): Promise<void> {
  if (refusalOf(home)) return;
  const theirs = await askDaemon<Environment>(daemon, "/environment");
  if (!theirs) return;
  const { problem, restart } = theirs.config;
  if (problem) tell(`${problem}. Until this is fixed, the daemon uses the previous settings.`);
  if (restart.length)
    tell(
      `config.yaml was edited: ${restart.join(", ")} will take effect when the daemon restarts (${shellLine("down")})`,
    );
  const given = await differing(home, daemon.token, theirs).catch(() => ({})); // a config that cannot be read was told
  if (!Object.keys(given).length) return;
  const done = await askDaemon<{ changed: string[] }>(daemon, "/environment", "PATCH", { values: given });
  if (done?.changed.length) tell(`the daemon now uses ${done.changed.join(", ")} from this shell`);
}

/** By our own list: a daemon does not choose what it is told. */
async function differing(home: string, token: string, { variables }: Environment): Promise<Record<string, string>> {
  const { config } = await readSettings(home);
  const marks = new Map(variables.map(({ name, mark }) => [name, mark]));
  const values: Record<string, string> = {};
  for (const name of variablesOf(config)) {
    const value = process.env[name]?.trim();
    if (value && marks.get(name) !== markOf(token, name, value)) values[name] = value;
  }
  return values;
}

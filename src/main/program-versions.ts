/**
 * Which version of an agent program is on the path, as it says itself. Each is asked once in this life, without keys and with little time;
 * whoever asks does not wait long: what is not known yet is known the next time.
 */
import { execFile } from "node:child_process";

const asked = new Map<string, Promise<string | undefined>>();
const known = new Map<string, string>();
const patienceMs = 700;

export async function versionsOf(
  programs: readonly string[],
  env: Record<string, string | undefined>,
): Promise<Record<string, string>> {
  const { PATH, HOME, LANG } = env;
  const all = programs.map(async (name) => {
    const answer = asked.get(name) ?? ask(name, { PATH, HOME, LANG });
    asked.set(name, answer);
    const version = await answer;
    if (version) known.set(name, version);
  });
  await Promise.race([Promise.all(all), new Promise((resolve) => setTimeout(resolve, patienceMs).unref())]);
  return Object.fromEntries(programs.flatMap((name) => (known.has(name) ? [[name, known.get(name)!]] : [])));
}

function ask(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(name, ["--version"], { env, cwd: "/", timeout: 10_000, maxBuffer: 10_000 }, (error, out) =>
      resolve(error ? undefined : /\d+\.\d+(\.[\w-]+)*/.exec(out)?.[0]),
    ).stdin?.end();
  });
}

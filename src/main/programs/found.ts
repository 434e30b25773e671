/**
 * The agent programs (CLIs) of this machine, for the doctor, /models and the New agent form: version, whether it was tested, login, and what is
 * missing to use it. Contains no secret. A program is only asked for its version: no provider is contacted.
 *
 * `look` does not wait longer than it was told: a program whose version is not known by then is `checking`, and known the next time.
 */
import { homedir } from "node:os";
import type { OfferedProgram } from "../../api/models.ts";
import type { Backends } from "../../backend/backends.ts";
import type { Cli } from "../../driver/driver.ts";
import { type CliState, fileOf, findCli } from "../../driver/find.ts";
import { clis } from "../../driver/index.ts";
import { createVersions } from "../../driver/versions.ts";
import { programTag } from "../../home/layout.ts";
import { machine } from "../../lib/machine/index.ts";
import type { Config } from "../../schema/config.ts";
import { Problem } from "../../schema/problem.ts";

export interface ProgramsOptions {
  /** Of the agents. */
  home: string;
  /** With a PATH. */
  env: Readonly<Record<string, string | undefined>>;
  backends: Pick<Backends, "available">;
  config(): Config;
  /** Throws a Problem if no agent can be created with this model. Missing: it is not known. */
  accepts?(model: string): Promise<unknown>;
  /** The home is not trusted: nothing is looked at. */
  closed?: boolean;
}

export interface Programs {
  /** All known programs, those that are installed first. */
  look(patienceMs: number): Promise<OfferedProgram[]>;
  /** Why this one cannot be started at all; undefined if it is installed. */
  missing(name: string): Promise<string | undefined>;
}

type Here = Extract<CliState, { state: "here" }>;

export function createPrograms({ home, env, backends, config, accepts, closed }: ProgramsOptions): Programs {
  const versions = createVersions(machine.clock);
  const { signal } = new AbortController();

  async function find(cli: Cli): Promise<OfferedProgram> {
    const found = await findCli(cli, {
      world: machine,
      env,
      home: env.HOME || homedir(),
      tag: `${programTag(home)}version/${cli.name}`,
      signal,
      versions,
    });
    if (found.state === "here") return await described(cli, found);
    const command = cli.install ?? null;
    const line = { ...lineOf(cli), command, remedy: command && `install it: ${command}` };
    if (found.state === "missing") return { ...line, state: "missing", about: `not installed: ${found.why}` };
    return { ...line, state: "broken", about: found.why };
  }

  async function described(cli: Cli, found: Here): Promise<OfferedProgram> {
    const { version, doubt } = found;
    const words = doubt ? `${version} (${doubt})` : version;
    const line = { ...lineOf(cli), version, tested: doubt === undefined };
    const access = accessOf(cli, found);
    if (!access) {
      const remedy = cli.loginHint.replaceAll("`", "");
      return { ...line, state: "login", about: `${words}, not logged in`, remedy, command: commandIn(cli.loginHint) };
    }
    const { login, said } = access;
    const models = [cli.name, ...(cli.models ?? []).map((model) => `${cli.name}/${model}`)];
    const why = await obstacle(cli.name);
    if (why) return { ...line, login, state: "blocked", about: `${words}, ${said}; cannot be used`, remedy: why };
    return { ...line, login, state: "ready", about: `${words}, ${said}`, models };
  }

  /** How it reaches its model. */
  function accessOf({ provider }: Cli, { login }: Here): { login: OfferedProgram["login"]; said: string } | undefined {
    if (login === "file") return { login: "own", said: "logged in" };
    if (login === "key") return { login: "key", said: "with a key from the environment" };
    const keyed = backends.available().find((one) => one.provider === provider && one.keyFrom);
    if (keyed) return { login: "gateway", said: `with the key from ${keyed.keyFrom}` };
    return login === "unknown" ? { login, said: "login unknown until it is started" } : undefined;
  }

  async function obstacle(name: string): Promise<string | undefined> {
    try {
      await accepts?.(name);
    } catch (error) {
      if (error instanceof Problem) return error.message;
      throw error;
    }
    if (config().sandbox.bash === "off") return undefined;
    return (await machine.processes.sandbox(true)) ?? undefined;
  }

  return {
    async missing(name) {
      const cli = clis.find((one) => one.name === name);
      const file = cli && (await fileOf(cli, { world: machine, env }));
      if (!cli || file) return undefined;
      return `${cli.title} is not installed: ${cli.binary} is not on the PATH${cli.install ? `; install it with: ${cli.install}` : ""}`;
    },
    async look(patienceMs) {
      if (closed) return [];
      const late = new Promise<"late">((resolve) => setTimeout(resolve, patienceMs, "late").unref());
      const all = await Promise.all(
        clis.map(async (cli): Promise<OfferedProgram> => {
          const found = await Promise.race([find(cli), late]);
          return found === "late"
            ? { ...lineOf(cli), state: "checking", about: "its version is not known yet" }
            : found;
        }),
      );
      const order = (one: OfferedProgram) => Number(one.state === "missing") - Number(one.state === "ready");
      return all.toSorted((a, b) => order(a) - order(b));
    },
  };
}

const lineOf = ({ name, title }: Cli) => ({
  name,
  title,
  version: null,
  tested: false,
  login: null,
  models: [],
  remedy: null,
  command: null,
});

/** The command that a hint names first. */
const commandIn = (hint: string): string | null => /`([^`]{1,200})`/.exec(hint)?.[1] ?? null;

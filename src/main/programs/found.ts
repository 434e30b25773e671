/**
 * The agent programs (CLIs) of this machine, for the doctor, /models and the New agent form: version, whether it was tested, login, and what is
 * missing to use it. Contains no secret. A program is only asked for its version: no provider is contacted.
 *
 * `look` does not wait longer than it was told: a program whose version is not known by then is `checking`, and known the next time.
 */
import { homedir } from "node:os";
import type { OfferedProgram } from "../../api/models.ts";
import type { Cli } from "../../driver/driver.ts";
import { clis } from "../../driver/index.ts";
import { type CliState, fileOf, findCli } from "../../driver/installed/find.ts";
import { createVersions } from "../../driver/installed/versions.ts";
import { programTag } from "../../home/layout.ts";
import { machine } from "../../lib/machine/index.ts";
import type { Config } from "../../schema/config.ts";
import { driverOf } from "../../schema/driver.ts";
import { Problem } from "../../schema/problem.ts";
import { type Access, accessOf, endedLogin, minuteOf } from "./access.ts";

export interface ProgramsOptions {
  /** Of the agents. */
  home: string;
  /** With a PATH. */
  env: Readonly<Record<string, string | undefined>>;
  config(): Config;
  /** Throws a Problem if no agent can be created with this model. Missing: it is not known. */
  accepts?(model: string): Promise<unknown>;
  /** The home is not trusted: nothing is looked at. */
  closed?: boolean;
}

export interface Programs {
  /** All known programs and those that the config names, the ready ones first. */
  look(patienceMs: number): Promise<OfferedProgram[]>;
  /** Why this one cannot be started at all; undefined if it is installed. */
  missing(name: string): Promise<string | undefined>;
}

type Here = Extract<CliState, { state: "here" }>;

export function createPrograms({ home, env, config, accepts, closed }: ProgramsOptions): Programs {
  const versions = createVersions(machine.clock);
  const { signal } = new AbortController();
  const user = env.HOME || homedir();

  /** `wanted`: with this model, where the provider that it names decides who pays. */
  async function find(cli: Cli, wanted?: string): Promise<OfferedProgram> {
    const found = await findCli(cli, {
      world: machine,
      env,
      home: user,
      tag: `${programTag(home)}version`,
      signal,
      versions,
    });
    if (found.state === "here") return await described(cli, found, wanted);
    const command = cli.install ?? null;
    const line = { ...lineOf(cli), command, remedy: command && `install it: ${command}` };
    if (found.state === "missing") return { ...line, state: "missing", about: `not installed: ${found.why}` };
    return { ...line, state: "broken", about: found.why };
  }

  async function described(cli: Cli, found: Here, wanted: string | undefined): Promise<OfferedProgram> {
    const { version, doubt } = found;
    const about = (words: string) => `${version}, ${words}${doubt ? `; ${doubt}` : ""}`;
    const line = { ...lineOf(cli), version, tested: doubt === undefined };
    const login = await cli.login({ files: machine.files, home: user, env });
    const access = accessOf(cli, login, wanted, { config: config(), env });
    if (!access) {
      const remedy = cli.loginHint.replaceAll("`", "");
      return { ...line, state: "login", about: about("not logged in"), remedy, command: commandIn(cli.loginHint) };
    }
    const ended = endedLogin(cli, access, machine.clock.now());
    if (ended) {
      const command = commandIn(cli.renewHint ?? cli.loginHint);
      return {
        ...line,
        state: "login",
        about: about("its login has ended"),
        remedy: ended.replaceAll("`", ""),
        command,
      };
    }
    const used = { ...line, login: access.by, about: about(saying(access)) };
    const why = await obstacle(wanted === undefined ? cli.name : `${cli.name}/${wanted}`);
    if (why) return { ...used, state: "blocked", remedy: `it cannot be used here: ${why}` };
    const models = [cli.name, ...(cli.models ?? []).map((model) => `${cli.name}/${model}`)];
    return { ...used, state: "ready", models };
  }

  /** A program that the config names: as ready as the CLI that it is. */
  async function describeNamed(name: string, model: string, all: OfferedProgram[]): Promise<OfferedProgram> {
    const driver = driverOf(model);
    const line = { ...lineOf({ name, title: name }), about: `${model}, named in config.yaml` };
    const listed = driver.by === "cli" ? all.find((one) => one.name === driver.cli) : undefined;
    if (driver.by === "cli" && listed) {
      const known = clis.find((one) => one.name === driver.cli)!;
      const cli = listed.state === "login" && !known.provider ? await find(known, driver.model) : listed;
      const { state, version, tested, login, remedy, command } = cli;
      const about = `${line.about}; ${cli.title}: ${cli.about}`;
      return {
        ...line,
        state,
        version,
        tested,
        login,
        remedy,
        command,
        about,
        models: cli.models.length ? [name] : [],
      };
    }
    const why = (driver.by === "acp" && (await notThere(driver.command))) || (await obstacle(name));
    if (why) return { ...line, state: "blocked", remedy: `it cannot be used here: ${why}` };
    return { ...line, state: "ready", login: "unknown", models: [name] };
  }

  async function notThere(command: string): Promise<string | undefined> {
    const binary = command.trim().split(/\s/)[0]!;
    return (await fileOf({ binary }, { world: machine, env })) ? undefined : `${binary} is not on the PATH`;
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
      const named = await Promise.all(
        Object.entries(config().programs).map(([name, model]) => describeNamed(name, model, all)),
      );
      const order = (one: OfferedProgram) => Number(one.state === "missing") - Number(one.state === "ready");
      return [...named, ...all].toSorted((a, b) => order(a) - order(b));
    },
  };
}

const lineOf = ({ name, title }: Pick<Cli, "name" | "title">) => ({
  name,
  title,
  version: null,
  tested: false,
  login: null,
  models: [],
  remedy: null,
  command: null,
});

function saying(access: Access): string {
  if (access.by === "login" && access.variable) return `with the login from ${access.variable}`;
  if (access.by === "login")
    return access.until ? `with your login until ${minuteOf(access.until)}; it cannot renew it` : "with your login";
  if (access.by === "unknown") return "login unknown until it is started";
  if (access.by === "key") return `with the key from ${access.variable}`;
  return access.keyFrom ? `with the key from ${access.keyFrom}, which it never sees` : `with ${access.provider}`;
}

/** The command that a hint names first. */
const commandIn = (hint: string): string | null => /`([^`]{1,200})`/.exec(hint)?.[1] ?? null;

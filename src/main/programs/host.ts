/**
 * The agent CLIs of this machine, ready for participants (runtime/program/host.ts): found on the PATH, with a login or with our gateway, in a
 * sandbox that reaches our door and its provider.
 */
import { homedir } from "node:os";
import { BackendError } from "../../backend/backend.ts";
import type { Env } from "../../backend/providers.ts";
import { acpCommand } from "../../driver/clis/acp.ts";
import type { Cli } from "../../driver/driver.ts";
import { clis } from "../../driver/index.ts";
import { commandFiles, commandWords, withHome } from "../../driver/installed/command-files.ts";
import { type CliState, fileOf, findCli } from "../../driver/installed/find.ts";
import { createVersions } from "../../driver/installed/versions.ts";
import { commandRef } from "../../lib/command-line.ts";
import type { World } from "../../lib/world.ts";
import type { CliDriver, Installed, Located, ProgramHost } from "../../runtime/program/host.ts";
import type { Config } from "../../schema/config.ts";
import type { Bearer, Secrets } from "../../server/auth/secrets.ts";
import { accessOf, endedLogin, gatewayVariables } from "./access.ts";
import type { ProgramDoor } from "./door.ts";

export interface ProgramHostOptions {
  world: World;
  env: Env;
  config(): Config;
  secrets: Secrets;
  door: ProgramDoor;
  /** How often a participant's tools were asked for by MCP. */
  listings(bearer: Bearer): number;
  /** The tag of a process that only says its version. */
  tag: string;
  /** Told what a program is lent of the user's login, before it is started: it is redacted everywhere. */
  secret(text: string): void;
}

const systemPath = "/usr/local/bin:/usr/bin:/bin";

/** The name of our MCP server, as programs see it. */
const mcpName = "agiraph";

export function createProgramHost(options: ProgramHostOptions): ProgramHost {
  const { world, env, config, secrets, door, tag } = options;
  const home = env.HOME || homedir();
  const versions = createVersions(world.clock);

  async function here(cli: Cli, signal: AbortSignal): Promise<Extract<CliState, { state: "here" }>> {
    const state = await findCli(cli, { world, env, home, tag: `${tag}/${cli.name}`, signal, versions });
    if (state.state === "here") return state;
    throw new BackendError("permanent", `${cli.title} cannot be used: ${state.why}; see ${commandRef("doctor")}`);
  }

  async function prepare(driver: CliDriver, bearer: Bearer, signal: AbortSignal) {
    const line = driver.by === "acp" ? withHome(driver.command, home) : "";
    const cli = driver.by === "cli" ? clis.find(({ name }) => name === driver.cli)! : acpOf(line);
    const found = driver.by === "cli" ? await here(cli, signal) : undefined;
    const file = found?.file ?? (await fileOf(cli, { world, env }));
    if (!file) throw new BackendError("permanent", `${cli.binary} cannot be used: it is not on the PATH`);
    const login = await cli.login({ files: world.files, home, env });
    const wanted = driver.by === "cli" ? driver.model : undefined;
    const access = accessOf(cli, login, wanted, { config: config(), env });
    if (!access) throw new BackendError("provider", `${cli.title} is not logged in: ${cli.loginHint}`);
    const ended = endedLogin(cli, access, world.clock.now());
    if (ended) throw new BackendError("provider", `${cli.title} was not started: ${ended}`);
    if (access.by === "login" && login.state === "file") for (const text of login.secrets) options.secret(text);
    const through = access.by === "gateway" ? access : undefined;
    const { url, port } = await door.open();
    const secret = secrets.give(bearer.agent, bearer.run, bearer.participant);
    const { bash } = config().sandbox;
    const installed: Installed = {
      cli,
      ...(found?.doubt && { doubt: `${found.version}, ${found.doubt}` }),
      launch: {
        file,
        model: through ? through.model : wanted,
        path: env.PATH ?? systemPath,
        mcp: { name: mcpName, url: `${url}/mcp`, secret, listings: () => options.listings(bearer) },
        ...(through ? { gateway: { url: `${url}/gateway/${through.provider}`, token: secret } } : { login }),
        ...(driver.by === "acp" && {
          variables: gatewayVariables(`${url}/gateway`, secret, { config: config(), env }),
        }),
      },
      ...(bash === "off"
        ? {}
        : {
            sandbox: {
              programs: driver.by === "acp" ? await commandFiles(line, { world, env }) : [file],
              ports: [port],
              // Its provider's; for any other the gate is asked (runtime/network/host-gate.ts).
              hosts: [...(through ? [] : (cli.hosts ?? []))],
            },
          }),
    };
    if (installed.sandbox) {
      const missing = await world.processes.sandbox(true);
      if (missing)
        throw new BackendError(
          "provider",
          `${cli.title} was not started: it needs a sandbox, and ${missing}. Only you can turn the sandbox off: sandbox: { bash: "off" } in config.yaml.`,
        );
    }
    return installed;
  }

  async function locate(command: string): Promise<Located> {
    const line = withHome(command, home);
    const sandboxed = config().sandbox.bash !== "off";
    return {
      line,
      path: env.PATH ?? systemPath,
      ...(sandboxed && { sandbox: { programs: await commandFiles(line, { world, env }) } }),
    };
  }

  return { prepare, locate };
}

function acpOf(command: string): Cli {
  const [first, ...rest] = commandWords(command);
  if (!first) throw new BackendError("permanent", "acp: needs a command, such as acp:goose acp");
  return acpCommand([first, ...rest]);
}

/** The port through which the runtime starts agent CLIs: which there are on this machine, and their way back to us. Main makes it (main/programs/host.ts). */
import type { Cli, LaunchOptions } from "../../driver/driver.ts";
import type { StartOptions } from "../../driver/session/start.ts";
import type { Driver } from "../../schema/driver.ts";
import type { Bearer } from "./tool-calls.ts";

export type CliDriver = Extract<Driver, { by: "cli" | "acp" }>;

/** An agent CLI, ready to be started for one participant. */
export interface Installed {
  cli: Cli;
  /** How it is found, how it reaches us and its model. */
  launch: Pick<LaunchOptions, "file" | "model" | "path" | "mcp" | "gateway" | "login" | "variables">;
  /** Why its version is not known to work; missing if it is. */
  doubt?: string | undefined;
  /** Missing if the user turned the sandbox off. */
  sandbox?: Omit<NonNullable<StartOptions["sandbox"]>, "read" | "projects">;
}

/** A command line of the user, ready to be started. */
export interface Located {
  line: string;
  /** Its PATH. */
  path: string;
  /** The files of the user that it names, to read. Missing if the user turned the sandbox off. */
  sandbox?: { programs: string[] };
}

export interface ProgramHost {
  /** Throws a BackendError that says what is missing and how to get it. */
  prepare(driver: CliDriver, bearer: Bearer, signal: AbortSignal): Promise<Installed>;
  /** For `command:`. A program that is not there is left to the shell to name. If missing, only the system's programs are there. */
  locate?(command: string): Promise<Located>;
}

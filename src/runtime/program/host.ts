/** The port through which the runtime starts agent CLIs: which there are on this machine, and their way back to us. Main makes it (main/programs.ts). */
import type { Cli, LaunchOptions } from "../../driver/driver.ts";
import type { StartOptions } from "../../driver/start.ts";
import type { Driver } from "../../schema/driver.ts";
import type { Bearer } from "./tool-calls.ts";

export type CliDriver = Extract<Driver, { by: "cli" | "acp" }>;

/** An agent CLI, ready to be started for one participant. */
export interface Installed {
  cli: Cli;
  /** How it is found, how it reaches us and its model. */
  launch: Pick<LaunchOptions, "file" | "model" | "path" | "mcp" | "gateway" | "login">;
  /** Why its version is not known to work; missing if it is. */
  doubt?: string | undefined;
  /** Missing if the user turned the sandbox off. */
  sandbox?: Omit<NonNullable<StartOptions["sandbox"]>, "read" | "projects">;
}

export interface ProgramHost {
  /** Throws a BackendError that says what is missing and how to get it. */
  prepare(driver: CliDriver, bearer: Bearer, signal: AbortSignal): Promise<Installed>;
}

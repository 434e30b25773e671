/**
 * Which programs a model may choose for others: those that the user named in the config (`programs`), and the agent's own. A model never invents a
 * command line.
 */
import { driverOf, isProgramDriver } from "../../schema/driver.ts";
import { Problem } from "../../schema/problem.ts";

/** The driver that the name means. What is not a program passes as it is. */
export function chooseDriver(
  name: string,
  programs: Readonly<Record<string, string>>,
  own: string | undefined,
): string {
  if (Object.hasOwn(programs, name)) return programs[name]!;
  if (name === own || !isProgramDriver(driverOf(name)) || Object.values(programs).includes(name)) return name;
  throw new Problem("forbidden", `${name} is not one of the programs that the user allows; ${listed(programs)}`);
}

/** The program that the name means; a name that is not one is an error that lists them. */
export function chooseProgram(
  name: string | undefined,
  programs: Readonly<Record<string, string>>,
  own: string | undefined,
): string {
  const driver = name === undefined ? undefined : chooseDriver(name, programs, own);
  if (driver !== undefined && isProgramDriver(driverOf(driver))) return driver;
  throw new Problem(
    "invalid",
    `${name === undefined ? "an autonomous worker needs a program" : `there is no program ${name}`}; ${listed(programs)}`,
  );
}

const listed = (programs: Readonly<Record<string, string>>): string => {
  const names = Object.keys(programs);
  return names.length
    ? `programs: ${names.join(", ")}`
    : "the user has named none (programs in config.yaml, such as claude: claude-code/sonnet)";
};

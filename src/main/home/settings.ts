/**
 * The config of a home as it counts: all of it where somebody named the home, what is tame of it where it was merely come upon, and nothing at
 * all where nobody has trusted it. Whoever reads config.yaml for use reads it here.
 */

import { parseConfig, readConfig, type Settings, trustedSettings } from "../../home/config.ts";
import { machine } from "../../lib/machine/index.ts";
import { refusalOf, wasDiscovered } from "./environment.ts";

/** `left`: what it says and does not count, because nobody named this home. */
export async function readSettings(
  home: string,
  plain = wasDiscovered(home),
): Promise<Settings & { left: readonly string[] }> {
  if (refusalOf(home)) return { ...parseConfig("", home), path: null, left: [] };
  const written = await readConfig(machine.files, home);
  return plain ? trustedSettings(written) : { ...written, left: [] };
}

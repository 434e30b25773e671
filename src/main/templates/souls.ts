/** Where templates of souls are looked for: `souls/` of the home, then those that came with this installation. A file of the user's is read here. */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createSouls, type Souls } from "../../home/souls.ts";
import { machine } from "../../lib/machine/index.ts";
import { Problem } from "../../schema/problem.ts";

const examples = new URL(
  import.meta.url.endsWith(".ts") ? "../../../examples/souls/" : "../examples/souls/",
  import.meta.url,
);

/** Of a home that nobody named only those that came with the installation count. */
export const openSouls = (home: string, plain: boolean): Souls =>
  createSouls({
    files: machine.files,
    folders: [
      ...(plain ? [] : [{ path: join(home, "souls"), from: "home" as const }]),
      { path: fileURLToPath(examples), from: "example" as const },
    ],
  });

/** A file rather than the name of a template. */
export const isSoulFile = (given: string): boolean => /[./\\]/.test(given);

/** As a person names it, from where they are. */
export async function readSoulFile(given: string): Promise<string> {
  const path = resolve(given);
  if ((await machine.files.stat(path))?.kind !== "file") throw new Problem("not_found", `there is no file ${path}`);
  return String((await machine.files.read(path)) ?? "");
}

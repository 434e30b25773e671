/**
 * A command on a copy of what is about to be published: exit code 0 passes. The copy is laid out anew for each command and thrown away, so a
 * command that changes what it checks changes nothing.
 *
 * It runs where and as `bash` would run it for the author: the same sandbox, the same hosts, the same policy.
 */
import type { Exit } from "../../lib/world.ts";
import type { Check } from "../../schema/evidence.ts";
import type { Draft } from "../workspace/publish.ts";
import { namesIn, type Said } from "./draft.ts";

/** Runs a command in a folder that has exactly this content. Throws the Problem if it cannot be run. */
export type RunOn = (draft: Draft, command: string, seconds: number) => Promise<Exit & { late: boolean }>;

const usualSeconds = 300;

export async function checkCommand(
  check: Extract<Check, { seconds?: unknown }>,
  draft: Draft,
  run: RunOn,
): Promise<Said> {
  const command = "run" in check ? check.run : check.tests === true ? await testCommand(draft) : check.tests;
  if (command === undefined)
    return {
      outcome: "errored",
      output: `it is not known how its tests are run: nothing of package.json with a test script, Makefile with test, pyproject.toml, Cargo.toml, go.mod is among ${namesIn(draft)}. Give the command: {tests: COMMAND}`,
    };
  const seconds = check.seconds ?? usualSeconds;
  const exit = await run(draft, command, seconds);
  const { code, late, ended } = exit;
  return { outcome: code === 0 && !late && !ended ? "passed" : "failed", output: ranText(command, exit, seconds) };
}

/** A command, its output and how it ended. */
export function ranText(command: string, exit: Awaited<ReturnType<RunOn>>, seconds: number): string {
  const { code, output, late, signal, ended } = exit;
  const fate = ended
    ? `ended by force: ${ended}`
    : late
      ? `it took longer than ${seconds} s and was ended`
      : `exit code ${code ?? signal}`;
  return `$ ${command}\n${output.trimEnd()}\n[${fate}]`;
}

/** The command that a project of this kind is usually tested with. */
async function testCommand(draft: Draft): Promise<string | undefined> {
  const has = async (path: string) => (await draft.stat(path))?.kind === "file";
  const text = async (path: string) =>
    (await has(path)) ? (await draft.read(path)).toString().slice(0, 1_000_000) : "";
  if (hasTestScript(await text("package.json"))) return "npm test";
  if (/^test\s*:/m.test(await text("Makefile"))) return "make test";
  const names = draft.files.map(({ path }) => path.split("/").at(-1)!);
  if (await has("Cargo.toml")) return "cargo test";
  if (await has("go.mod")) return "go test ./...";
  if (
    (await has("pytest.ini")) ||
    (await has("pyproject.toml")) ||
    (await has("tox.ini")) ||
    names.some((name) => /^test_.*\.py$|_test\.py$/.test(name))
  )
    return "python3 -m pytest -q";
  return undefined;
}

function hasTestScript(text: string): boolean {
  try {
    const script = JSON.parse(text)?.scripts?.test;
    return typeof script === "string" && !script.includes("no test specified");
  } catch {
    return false; // not a package
  }
}

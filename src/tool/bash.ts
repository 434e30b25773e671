/**
 * The shell. By default in a sandbox (lib/world.ts Sandbox); where none can be started it refuses and says what would help. Only the user can
 * choose otherwise, in the config; then every result says so.
 */
import { z } from "zod";
import type { State } from "../core/state.ts";
import type { Config } from "../schema/config.ts";
import { defineTool, type Tool } from "../toolkit/tool.ts";

export function createBash({ sandbox }: { sandbox: Config["sandbox"] }): Tool {
  const sandboxed = sandbox.bash !== "off";
  const network = sandbox.network.length
    ? `The network reaches ${sandbox.network.join(", ")} only. `
    : "There is no network. ";
  return defineTool({
    name: "bash",
    about: `Run a shell command in your scratch folder${sandboxed ? ", in a sandbox" : ", not in a sandbox (the user chose so)"}.`,
    guidance:
      "For running code, tests and the usual programs. The folder is your scratch, the same as for the file tools; each call is a new shell. " +
      (sandboxed ? `Only scratch can be written. ${network}What it starts in the background ends with it. ` : "") +
      "What others published lies in ../../NODE/published (the coordinator: ../nodes/NODE/published), _resources/… in ../../../resources (the coordinator: ../resources). " +
      "Chain steps with &&, set a timeout that fits, look at the output and the exit code. Read an error before trying again; be careful with what deletes. " +
      "Of more than 10,000 characters the middle is left out: send long output to a file.",
    effect: "outside",
    repeatable: false,
    input: z.object({
      command: z.string().min(1).max(50_000),
      timeout: z.number().positive().max(600).optional().describe("Seconds; default 120, at most 600"),
    }),
    async run({ command, timeout = 120 }, { run, state }) {
      // Both streams in one, in the order in which they were written.
      const shell: [string, ...string[]] = ["bash", "--norc", "-c", 'exec bash --norc -c "$1" 2>&1', "bash", command];
      const exit = await run(shell, timeout, sandboxed ? { hosts: sandbox.network } : undefined);
      const output = exit.output.trimEnd();
      const lines = [output ? "" : "(no output)", fate(exit, timeout)].filter(Boolean);
      if (!sandboxed) lines.push("[not in a sandbox: sandbox.bash is off in config.yaml]");
      const text = lines.join("\n");
      if (!output) return text;
      const outside = !sandboxed || sandbox.network.length || reachesStrangers(state()) ? "a command" : undefined;
      return { text, data: { from: "the command", text: output, exact: true, outside } };
    },
  });
}

/** What a command reads is unknown: it may be the project folder, a file that people gave, or a response from a host. */
const reachesStrangers = ({ agent, resources }: State): boolean =>
  agent?.folder !== undefined || [...resources.values()].some(({ by }) => by === "human");

type Ran = { code: number | null; signal?: string; ended?: string; late: boolean };

function fate({ code, signal, ended, late }: Ran, timeout: number): string {
  if (ended) return `[ended by force with all that it started: ${ended}]`;
  if (late) return `[timeout: it took longer than ${timeout} s and was ended with all that it started]`;
  if (code === null) return `[ended by ${signal ?? "a signal"}]`;
  return code > 128 && code < 160 ? `[exit code ${code}: ended by signal ${code - 128}]` : `[exit code ${code}]`;
}

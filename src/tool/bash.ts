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
  const hosts = sandbox.network.join(", ");
  const network = {
    ask: `${hosts ? `The network reaches ${hosts}; for` : "For"} ${hosts ? "every other" : "each"} host the human is asked when a command wants it, and the command waits: reach only what you need. `,
    deny: hosts ? `The network reaches ${hosts} only. ` : "There is no network. ",
  }[sandbox.other_hosts];
  return defineTool({
    name: "bash",
    about: `Run a shell command in your scratch folder${sandboxed ? ", in a sandbox" : ", not in a sandbox (the user chose so)"}.`,
    guidance:
      "The folder is your scratch, as for the file tools; each call is a new shell. " +
      (sandboxed ? `Only scratch can be written. ${network}What it starts in the background ends with it. ` : "") +
      "Others' published files: ../../NODE/published (the coordinator: ../nodes/NODE/published, a worker without a node: ../../../nodes/NODE/published); _resources/…: ../../../resources (the coordinator: ../resources). " +
      "Be careful with what deletes. Of more than 10,000 characters the middle is left out: send long output to a file.",
    effect: "outside",
    repeatable: false,
    offer: { always: "everyone", words: "shell, run, command, script, program, test" },
    input: z.object({
      command: z.string().min(1).max(50_000),
      timeout: z.number().positive().max(600).optional().describe("Seconds; default 120, at most 600"),
    }),
    async run({ command, timeout = 120 }, { run, state }) {
      // Both streams in one, in the order in which they were written.
      const shell: [string, ...string[]] = ["bash", "--norc", "-c", 'exec bash --norc -c "$1" 2>&1', "bash", command];
      const exit = await run(shell, timeout, sandboxed ? { text: command } : undefined);
      const { reach } = exit;
      const output = exit.output.trimEnd();
      const lines = [output ? "" : "(no output)", fate(exit, timeout)].filter(Boolean);
      if (!sandboxed) lines.push("[not in a sandbox: sandbox.bash is off in config.yaml]");
      for (const { host, why } of reach.refused.slice(0, mostHosts)) lines.push(`[${host} was not reached: ${why}]`);
      if (exit.code !== 0 && exit.offline) lines.push(`[there was no network: ${exit.offline}]`);
      // It failed for want of an answer: there is nothing to do until it comes. If it went well without, the answer can wait.
      const open =
        exit.code === 0 ? undefined : reach.refused.find(({ question }) => isOpen(state(), question))?.question;
      if (open) lines.push(`[You are woken when ${open} is answered; then repeat the command.]`);
      const wait = open === undefined ? {} : { wait: { for: "question" as const, question: open } };
      const text = lines.join("\n");
      if (!output) return { text, ...wait };
      const outside = !sandboxed || reachesStrangers(state()) ? "a command" : reach.opened[0];
      return { text, data: { from: "the command", text: output, exact: true, outside }, ...wait };
    },
  });
}

const mostHosts = 10;
const isOpen = ({ questions }: State, id: string | undefined): boolean =>
  id !== undefined && questions.get(id)?.status === "open";

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

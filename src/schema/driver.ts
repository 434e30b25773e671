/**
 * Who thinks for a participant, as people write it in `model`: a model of a provider, an agent CLI, an ACP agent, a command that works through
 * files, a script, or a recording.
 *
 * `provider/model`, `claude-code/MODEL` (or only `claude-code`), `acp:COMMAND`, `command:COMMAND`, `scripted/NAME`, `recorded/NAME`.
 */
import { z } from "zod";

/** The agent CLIs by the names that people write. Each is a file in `driver`. */
const cliNames = ["claude-code", "codex", "opencode", "gemini-cli", "cursor"] as const;
export const CliName = z.enum(cliNames);
export type CliName = z.infer<typeof CliName>;

export const Driver = z
  .discriminatedUnion("by", [
    z.object({ by: z.literal("model"), model: z.string() }),
    z.object({ by: z.literal("cli"), cli: CliName, model: z.string().optional() }),
    z.object({ by: z.literal("acp"), command: z.string() }),
    z.object({ by: z.literal("command"), command: z.string() }),
    z.object({ by: z.literal("scripted"), name: z.string() }),
    z.object({ by: z.literal("recorded"), name: z.string() }),
  ])
  .describe("Who thinks for a participant");
export type Driver = z.infer<typeof Driver>;

export function driverOf(given: string): Driver {
  const name = given.trim();
  const [, scheme, command] = /^(acp|command):\s*(\S.*)$/s.exec(name) ?? [];
  if (scheme && command) return { by: scheme as "acp" | "command", command };
  const at = name.indexOf("/");
  const [first, rest] = at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at + 1)];
  const cli = cliNames.find((one) => one === first);
  if (cli) return rest ? { by: "cli", cli, model: rest } : { by: "cli", cli };
  if (rest && (first === "scripted" || first === "recorded")) return { by: first, name: rest };
  return { by: "model", model: name };
}

/** A program with a loop of its own: it runs tools by itself, and a turn of it is long. */
export const isProgramDriver = ({ by }: Driver): boolean => by === "cli" || by === "acp" || by === "command";

/** The known agent CLIs, by name. A new one is one more line. */
import { claudeCode } from "./clis/claude-code.ts";
import { codex } from "./clis/codex.ts";
import { cursor } from "./clis/cursor.ts";
import { geminiCli } from "./clis/gemini-cli.ts";
import { opencode } from "./clis/opencode.ts";
import type { Cli } from "./driver.ts";

export const clis: readonly Cli[] = [claudeCode, codex, opencode, geminiCli, cursor];

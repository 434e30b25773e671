/** The known agent CLIs, by name. A new one is one more line. */
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import type { Cli } from "./driver.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";

export const clis: readonly Cli[] = [claudeCode, codex, opencode, geminiCli, cursor];

import { installedCli } from "../../scripts/clis.ts";
import { claudeCode } from "../../src/driver/clis/claude-code.ts";
import { describeCli } from "./contract.ts";

describeCli({ cli: claudeCode, file: installedCli("claude"), model: "claude-sonnet-4-5", cost: true });

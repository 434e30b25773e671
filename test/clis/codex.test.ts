import { installedCli } from "../../scripts/clis.ts";
import { codex } from "../../src/driver/codex.ts";
import { describeCli } from "./contract.ts";

describeCli({ cli: codex, file: installedCli("codex"), model: "gpt-5.1-codex", cost: false });

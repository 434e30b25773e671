import { installedCli } from "../../scripts/clis.ts";
import { codex } from "../../src/driver/clis/codex.ts";
import { describeCli } from "./contract.ts";

describeCli({ cli: codex, file: installedCli("codex"), model: "gpt-5.1-codex", cost: false });

/** Newer models call tools in scripts (code mode). */
describeCli({
  cli: { ...codex, title: "Codex in code mode" },
  file: installedCli("codex"),
  model: "gpt-6.1-sol",
  cost: false,
  long: true,
});

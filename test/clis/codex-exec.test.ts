/** The fallback. What exec cannot do: it is not started where it must ask, hears messages with the next prompt, and is killed to interrupt it. */
import { installedCli } from "../../scripts/clis.ts";
import { codexExec } from "../../src/driver/clis/codex-exec.ts";
import { describeCli } from "./contract.ts";

describeCli({
  cli: { ...codexExec, title: "Codex by exec" },
  file: installedCli("codex"),
  model: "gpt-5.1-codex",
  cost: false,
  long: true,
});

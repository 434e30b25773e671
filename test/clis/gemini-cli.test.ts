import { installedCli } from "../../scripts/clis.ts";
import { geminiCli } from "../../src/driver/clis/gemini-cli.ts";
import { describeCli } from "./contract.ts";

describeCli({
  cli: geminiCli,
  file: installedCli("gemini"),
  model: "gemini-2.5-flash",
  cost: false,
  tokens: "nothing",
  mute: true,
  showsToken: true,
  long: true,
});

import { installedCli } from "../../scripts/clis.ts";
import { opencode } from "../../src/driver/clis/opencode.ts";
import { describeCli } from "./contract.ts";

describeCli({
  cli: opencode,
  file: installedCli("opencode"),
  model: "fake-1",
  cost: false,
  tokens: "last call",
  long: true,
});

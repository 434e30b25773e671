/**
 * npm run bench [-- NAME …] [--json] [--size 0.1] [--folder DIR]
 *
 * Measures Agiraph on this machine and says what it should reach. Every ratio is against a baseline of the same run. It is not a test: a missed
 * goal is measured again (repeat.ts), then shown, and the exit code is 0; only a crash is an error. With --json one object per line and figure, and the machine on stderr.
 */
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { api } from "./api.ts";
import { append } from "./append.ts";
import { clis } from "./clis.ts";
import { context } from "./context.ts";
import { daemon } from "./daemon.ts";
import { asJson, asTable, type Bench, type Figure } from "./figure.ts";
import { hop } from "./hop.ts";
import { idle } from "./idle.ts";
import { keep } from "./keep.ts";
import { memory } from "./memory.ts";
import { describe, openPlace } from "./place.ts";
import { prefix } from "./prefix.ts";
import { measure } from "./repeat.ts";
import { replay } from "./replay.ts";
import { sandbox } from "./sandbox.ts";
import { sim } from "./sim.ts";
import { start } from "./start.ts";
import { team } from "./team.ts";
import { turn } from "./turn.ts";
import { web } from "./web.ts";
import { workflow } from "./workflow.ts";
import { workspace } from "./workspace.ts";

const benches: readonly Bench[] = [
  append,
  hop,
  turn,
  prefix,
  context,
  start,
  daemon,
  replay,
  team,
  workflow,
  idle,
  memory,
  api,
  web,
  sim,
  sandbox,
  clis,
  workspace,
  keep,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    size: { type: "string", default: "1" },
    folder: { type: "string" },
  },
});
const size = Number(values.size);
const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length || !(size > 0 && size <= 1)) {
  const names = benches.map((bench) => bench.name).join(", ");
  console.error(
    unknown.length ? `there is no figure ${unknown.join(", ")}; there are ${names}` : "--size is above 0 and at most 1",
  );
  process.exit(2);
}

const place = openPlace(size, values.folder);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void place.remove().finally(() => process.exit(signal === "SIGINT" ? 130 : 143)));
}
try {
  const machine = describe(place.root);
  if (values.json) console.error(machine.join("\n"));
  else console.log(["Agiraph bench", ...machine, ...(size < 1 ? [`at ${size} of the full size`] : []), ""].join("\n"));
  const missed: Figure[] = [];
  for (const bench of benches) {
    if (positionals.length && !positionals.includes(bench.name)) continue;
    const figures = await measure(bench, place);
    missed.push(...figures.filter((figure) => !figure.ok));
    console.log(values.json ? figures.map(asJson).join("\n") : asTable(bench, figures));
    if (!values.json)
      console.log(`  load of the machine: ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores\n`);
  }
  if (!values.json)
    console.log(missed.length ? `Missed: ${missed.map((figure) => figure.name).join(", ")}` : "Every goal is met.");
} finally {
  await place.remove();
}

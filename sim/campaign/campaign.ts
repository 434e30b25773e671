/**
 * A campaign: many worlds, one after the other or at once, until a time or a number is reached; what was found is grouped, and all of it lies in
 * a folder (campaigns/NAME) from which it can be resumed. Shared by the simulation (main.ts) and by real kills (test/crash/campaign.ts).
 *
 * Always holds: `report.json` is whole at any moment and at most `everyMs` behind, so a kill -9 loses the last two seconds. Resumed, the time
 * and the number of before count. A violation does not end a campaign; in the end the exit code is 1 if there was one that is not gone.
 * The first Ctrl-C ends it in order, with the summary; the second at once.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitOf, isEdited } from "./commit.ts";
import { addTo, type Group, type Violation } from "./group.ts";
import { describeReport } from "./report.ts";

export interface Report<World, State> {
  kind: string;
  name: string;
  began: string;
  /** What it was run with, oldest first. */
  commits: string[];
  end: { minutes?: number; count?: number };
  seconds: number;
  /** What is counted, by name: worlds, kills, events. */
  totals: Record<string, number>;
  groups: Group<World>[];
  state: State;
}

export interface Campaign<World, State> {
  readonly report: Report<World, State>;
  /** With a + if files differ from it. */
  readonly commit: string;
  readonly folder: string;
  /** Nothing more is to be begun. */
  over(): boolean;
  /** Aborted by the first Ctrl-C. */
  readonly stopped: AbortSignal;
  count(totals: Record<string, number>): void;
  found(violation: Violation, world: World, size: number): Group<World>;
  save(): void;
  /** Saves, prints the summary, and returns the exit code. */
  close(): number;
}

export interface Options<World, State> {
  kind: string;
  /** The folder that holds all campaigns. */
  root?: string;
  name?: string | undefined;
  /** Goes on with the campaign of this name, or with the latest of its kind. */
  resume?: boolean;
  minutes?: number | undefined;
  /** The end as a number of what `counted` names. */
  count?: number | undefined;
  counted: string;
  begin(): State;
  /** The command that shows it again, or where it lies. */
  again(world: World, state: State): string;
  /** What kind of world it is. */
  about?(world: World): string;
  /** Further parts of the report, in Markdown. */
  describe?(report: Report<World, State>): string;
}

const everyMs = 2_000;
const tellMs = 30_000;

export function openCampaign<World, State>(options: Options<World, State>): Campaign<World, State> {
  const { kind, root = "campaigns", counted } = options;
  const commit = `${commitOf() ?? "unknown"}${isEdited() ? "+" : ""}`;
  const report = options.resume ? load<World, State>(root, kind, options.name) : begin();
  const folder = join(root, report.name);
  const again = (world: World) => options.again(world, report.state);
  if (options.minutes !== undefined || options.count !== undefined)
    report.end = { ...(options.minutes !== undefined && { minutes: options.minutes }), count: options.count };
  if (report.commits.at(-1) !== commit) report.commits.push(commit);
  mkdirSync(folder, { recursive: true });

  const before = report.seconds;
  const clock = performance.now();
  const stop = new AbortController();
  const interrupted = () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  process.on("SIGINT", interrupted);
  process.on("SIGTERM", interrupted);
  const saving = setInterval(save, everyMs);
  const telling = setInterval(() => console.log(progress()), tellMs);

  function begin(): Report<World, State> {
    const began = new Date().toISOString();
    const name = options.name ?? `${kind}-${began.slice(0, 19).replaceAll(":", "")}`;
    if (existsSync(join(root, name, "report.json")))
      throw new Error(`there is a campaign ${name} already; go on with it: --resume --name ${name}`);
    const { begin } = options;
    return { kind, name, began, commits: [], end: {}, seconds: 0, totals: {}, groups: [], state: begin() };
  }

  function save(): void {
    report.seconds = Math.round(before + (performance.now() - clock) / 1000);
    writeWhole(join(folder, "report.json"), `${JSON.stringify(report, null, 1)}\n`);
    writeWhole(
      join(folder, "report.md"),
      describeReport(report, { again, about: options.about }, options.describe?.(report)),
    );
  }

  const progress = () => {
    const open = report.groups.filter((group) => !group.gone).length;
    return `${report.totals[counted] ?? 0} ${counted} in ${Math.round(report.seconds / 6) / 10} minutes, ${open} kinds of violations`;
  };

  save();
  return {
    report,
    commit,
    folder,
    stopped: stop.signal,
    over() {
      const { minutes, count } = report.end;
      const seconds = before + (performance.now() - clock) / 1000;
      return (
        stop.signal.aborted ||
        (minutes !== undefined && seconds >= minutes * 60) ||
        (count !== undefined && (report.totals[counted] ?? 0) >= count)
      );
    },
    count(totals) {
      for (const [name, times] of Object.entries(totals)) report.totals[name] = (report.totals[name] ?? 0) + times;
    },
    found(violation, world, size) {
      const known = report.groups.length;
      const group = addTo(report.groups, violation, { world, size, commit });
      if (report.groups.length > known)
        console.log(`\nbroke ${violation.invariant}: ${violation.what.split("\n")[0]}\n  ${again(world)}`);
      return group;
    },
    save,
    close() {
      clearInterval(saving);
      clearInterval(telling);
      process.off("SIGINT", interrupted);
      process.off("SIGTERM", interrupted);
      save();
      const open = report.groups.filter((group) => !group.gone);
      console.log(`\n${progress()}; the report: ${join(folder, "report.md")}`);
      for (const { invariant, cause, times, shrunk, examples } of open)
        console.log(`${times} × ${invariant}: ${cause}\n  ${again((shrunk ?? examples[0]!).world)}`);
      if (stop.signal.aborted) console.log(`go on with it: --resume --name ${report.name}`);
      return open.length ? 1 : 0;
    },
  };
}

function load<World, State>(root: string, kind: string, name: string | undefined): Report<World, State> {
  const names = existsSync(root) ? readdirSync(root) : [];
  const reports = names
    .filter((each) => existsSync(join(root, each, "report.json")) && (name === undefined || each === name))
    .map((each) => JSON.parse(readFileSync(join(root, each, "report.json"), "utf8")) as Report<World, State>)
    .filter((report) => report.kind === kind)
    .sort((a, b) => a.began.localeCompare(b.began));
  const last = reports.at(-1);
  if (!last) throw new Error(`there is no campaign of ${kind}${name ? ` named ${name}` : ""} to resume in ${root}/`);
  return last;
}

/** A file is there whole, as it was or as it is to be. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

/**
 * npm run crash -- [--minutes 30 | --kills 500] [--from 1] [--jobs N] [--name NAME] [--resume]
 *
 * Kills at random moments, from outside. A home is started and killed again and again until its work is done, then it is checked as in
 * crash.test.ts, and the next home begins; as many at once as there are cores. Goes on after a violation, groups them, and writes
 * campaigns/NAME/report.md; --resume goes on with the latest campaign, or with that of --name.
 *
 * Moments are drawn by the number of the home, from a thousandth of a second to most of a life after the process said its first word. What they
 * hit depends on the machine, so a number does not repeat a failure: the home of a failure is kept in the campaign's folder instead. After a
 * Ctrl-C the homes under way are still finished. Exit code 1 if anything was wrong.
 */
import { cpSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { openCampaign } from "../../sim/campaign/campaign.ts";
import { createRandom } from "../../sim/random.ts";
import { drafts, examine, outputOf } from "./check.ts";
import { type LifePlan, play } from "./lives.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    kills: { type: "string" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: String(availableParallelism()) },
    name: { type: "string" },
    resume: { type: "boolean", default: false },
  },
});
const mostLives = 60;

/** A home in which something was wrong. */
interface Home {
  number: number;
  /** Where it lies. */
  kept: string;
}

const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));
const campaign = openCampaign<Home, { from: number; begun: number }>({
  kind: "crash",
  name: values.name,
  resume: values.resume,
  minutes: number(values.minutes),
  count: number(values.kills) ?? (values.minutes || values.resume ? undefined : 500),
  counted: "kills",
  begin: () => ({ from: Number(values.from), begun: 0 }),
  again: ({ kept }) => kept,
});
const { state } = campaign.report;

const plain = await play({ lives: [] });
const expected = outputOf(plain.home);
const life = Math.max(300, plain.ms);
const broken = examine(plain, expected);
if (broken.length) throw new Error(`it does not even work without a kill: ${broken.join("; ")}`);
await plain.remove();

async function job(): Promise<void> {
  while (!campaign.over()) {
    const number = state.from + state.begun++;
    const random = createRandom(number);
    const lives = Array.from(
      { length: mostLives },
      (): LifePlan => ({ killAfterMs: life ** random.next(), seconds: 0.05 }),
    );
    const story = await play({ lives, resume: true });
    const wrong = examine(story, expected);
    const kills = story.ends.filter((end) => end === "killed").length;
    campaign.count({
      kills,
      homes: 1,
      lives: story.ends.length,
      "acknowledged again": story.repeated,
      "orphans swept": story.orphans,
      "paused for recovery": story.paused.length,
      drafts: drafts(story.home).length,
    });
    const kept = join(campaign.folder, "homes", String(number));
    if (wrong.length) cpSync(dirname(story.home), kept, { recursive: true });
    for (const what of wrong) campaign.found({ invariant: "crash", what }, { number, kept }, kills);
    await story.remove();
  }
}

await Promise.all(Array.from({ length: Number(values.jobs) }, job));
process.exit(campaign.close());

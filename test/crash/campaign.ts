/**
 * Many kills at random moments, from outside: `node test/crash/campaign.ts --kills 500 [--seed 1] [--jobs 2]`.
 *
 * A home is started and killed again and again until its work is done, then it is checked as in crash.test.ts, and the next home begins.
 * Moments are drawn by the seed, from a thousandth of a second to most of a life after the process said its first word; what they hit
 * depends on the machine, so a seed does not repeat a failure: the home of a failure is kept instead. Exit code 1 if anything was wrong.
 */
import { parseArgs } from "node:util";
import { drafts, examine, outputOf } from "./check.ts";
import { type LifePlan, play } from "./lives.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    jobs: { type: "string", default: "2" },
  },
});
const wanted = Number(values.kills);
const mostLives = 60;

let seed = Number(values.seed);
/** Mulberry32. */
function chance(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

const plain = await play({ lives: [] });
const expected = outputOf(plain.home);
const life = Math.max(300, plain.ms);
const broken = examine(plain, expected);
if (broken.length) throw new Error(`it does not even work without a kill: ${broken.join("; ")}`);
await plain.remove();

const sum = {
  homes: 0,
  kills: 0,
  lives: 0,
  "acked again": 0,
  "orphans swept": 0,
  "paused for recovery": 0,
  drafts: 0,
  wrong: 0,
};
const begun = performance.now();

async function job(): Promise<void> {
  while (sum.kills < wanted) {
    const lives = Array.from({ length: mostLives }, (): LifePlan => ({ killAfterMs: life ** chance(), seconds: 0.05 }));
    const story = await play({ lives, resume: true });
    const wrong = examine(story, expected);
    const kills = story.ends.filter((end) => end === "killed").length;
    sum.homes++;
    sum.kills += kills;
    sum.lives += story.ends.length;
    sum["acked again"] += story.repeated;
    sum["orphans swept"] += story.orphans;
    sum["paused for recovery"] += story.paused.length;
    sum.drafts += drafts(story.home).length;
    sum.wrong += wrong.length;
    console.log(
      `home ${sum.homes}: ${kills} kills in ${Math.round(story.ms)} ms${wrong.length ? "" : ", all is well"}`,
    );
    for (const one of wrong) console.log(`  ${one}`);
    if (wrong.length) console.log(`  kept: ${story.home}`);
    else await story.remove();
  }
}

await Promise.all(Array.from({ length: Number(values.jobs) }, job));
console.table([{ ...sum, seconds: Math.round((performance.now() - begun) / 1000) }]);
process.exitCode = sum.wrong ? 1 : 0;

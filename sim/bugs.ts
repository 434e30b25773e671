/**
 * Planted bugs: small patches of the product's source that the simulation, or a named test, must notice. They test the tests.
 *
 * Always holds: `find` occurs exactly once in `file` (bugs.test.ts), so a patch cannot rot unseen when the source changes.
 * Not here: how a patch gets into the program (plant.ts).
 */
export interface Bug {
  name: string;
  /** From the root of the repository. */
  file: string;
  find: string;
  replace: string;
  /** What goes wrong, and which promise that breaks. */
  about: string;
}

export const bugs: readonly Bug[] = [
  {
    name: "long-timer-fires-at-once",
    file: "src/lib/machine/clock.ts",
    find: "(left > longest ? arm(left - longest) : call())",
    replace: "call()",
    about: "An appointment more than 25 days away is kept after 25 days: `after` calls back before its time.",
  },
  {
    name: "ack-before-sync",
    file: "src/store/log.ts",
    find: `await point?.("log.appended");
        await file.sync();`,
    replace: `await point?.("log.appended");
        file.sync().catch(() => undefined);`,
    about: "An append is acknowledged before it is on the disk: a power loss takes acknowledged events.",
  },
];

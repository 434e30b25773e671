/** What comes before a run: the setup steps of its team, and the texts of its documents. */
import { z } from "zod";
import { RunId, Sha256, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";
import { Begun, LaidOut } from "./run.ts";
import { SetupResult } from "./setup-step.ts";
import { Team } from "./workflow.ts";

export const Preparation = z
  .object({
    ...Begun.shape,
    team: Team,
    results: z.array(SetupResult).describe("Of the steps so far; all but the last have passed"),
    since: Time,
    unsafe: z.literal(true).optional().describe("A person has resumed it although there is no sandbox"),
  })
  .describe("A run that is being prepared");
export type Preparation = z.infer<typeof Preparation>;

const setupEvents = {
  "setup.ended": z.object({ run: RunId, ...SetupResult.shape }),
};

const setupCommands = {
  "setup.end": z.object({ run: RunId, ...SetupResult.shape }).describe("A step has ended. Only the runtime says so"),
  "run.begin": z
    .object({
      run: RunId,
      team: Team.describe("With the outputs of the setup in its texts"),
      documents: z.array(LaidOut).max(100).default([]),
      quotes: z.string().max(500_000).optional(),
      attached: z.array(Sha256).max(20).default([]),
    })
    .describe("Its preparation is over. Only the runtime says so"),
};

export const setup = defineNoun({
  name: "setup",
  events: setupEvents,
  commands: setupCommands,
  state: () => ({ preparation: null as Preparation | null }),
  reference: { Preparation },
});

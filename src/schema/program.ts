/**
 * A program that drives a participant (schema/driver.ts), while its turn is under way: its session, what it reports, and the model calls that it
 * makes by itself. Its tool calls are those of a turn (turn.ts).
 */
import { z } from "zod";
import { Amount } from "./budget.ts";
import { ParticipantId, TurnId } from "./ids.ts";
import { defineNoun } from "./noun.ts";
import { Counted, Usage } from "./turn.ts";

const of = { turn: TurnId, participant: ParticipantId };
const call = z.string().min(1).max(128).describe("Which of its model calls");
const usage = { cost: Amount, usage: Usage.optional(), counted: Counted.optional() };
const opened = { driver: z.string().max(2_200), session: z.string().min(1).max(1_000) };
const reported = {
  kind: z
    .enum(["text", "notice"])
    .describe("text: it said so between two steps. notice: something a person may want to know"),
  text: z.string().max(100_000),
};

const programEvents = {
  "program.opened": z.object({ ...of, ...opened }).describe("Its conversation has an id of its own, to resume it with"),
  "program.reported": z.object({ ...of, ...reported }),
  "program.told": z
    .object({ ...of, upto: z.number().int().positive().describe("Inbox entries up to this seq were given to it") })
    .describe("Messages reached it while it worked"),
  "program.reserved": z
    .object({ ...of, call, model: z.string(), reserved: Amount })
    .describe("It makes a model call through our gateway"),
  "program.settled": z
    .object({ ...of, call: call.optional(), ...usage })
    .describe("What it used: of a call through our gateway, or as it says itself"),
};

const programCommands = {
  "program.open": z.object({ ...of, ...opened }),
  "program.report": z.object({ ...of, ...reported }),
  "program.tell": z.object({ ...of, upto: z.number().int().positive() }),
  "program.reserve": z.object({ ...of, model: z.string().min(1).max(300), reserve: Amount }),
  "program.settle": z.object({ ...of, call: call.optional(), ...usage }),
  "program.act": z.object({ ...of, tool: z.string().min(1).max(128), input: z.unknown() }),
  "program.ask": z.object({
    ...of,
    call: z.string().min(1).max(128),
    tool: z.string().min(1).max(128),
    text: z.string().min(1),
    target: z.string().optional(),
  }),
};

export const program = defineNoun({
  name: "program",
  events: programEvents,
  commands: programCommands,
  state: () => ({}),
});

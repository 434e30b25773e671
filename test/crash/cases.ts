/**
 * Where the process is killed, row by row (K1 to K18 of the fault catalogue), and what must then be true beyond what check.ts looks at.
 *
 * A row has several points where one does not tell the whole story: `tool.started` is any tool, `poke.begun` is the one that counts. Points
 * that are not the product's own are in child.ts, tools.ts and points.ts.
 */
import type { Event } from "../../src/schema/event.ts";
import { effectsOf, of } from "./check.ts";
import type { Story } from "./lives.ts";
import type { Kill } from "./points.ts";
import { reserve } from "./team.ts";

export interface Case {
  row: string;
  about: string;
  /** Each of these is a home of its own. */
  kills: Kill[][];
  seconds?: number;
  also?(story: Story, events: Event[]): string[];
}

const at = (point: string, ...hits: number[]): Kill[][] => hits.map((hit) => [{ point, hit }]);

/** The one that was killed is unknown; on a busy machine the other worker's may have been under way as well, done or not. */
const toldUnknown = (tool: string, effects: number) => (story: Story, events: Event[]) => {
  const told = of(events, "tool.ended").filter(({ data }) => data.tool === tool && data.outcome === "unknown").length;
  const done = effectsOf(story).length;
  return [
    ...(told === 1 || told === 2 ? [] : [`the model was told ${told} times that nobody knows about ${tool}`]),
    ...(done <= effects && done > effects - told ? [] : [`there were ${done} effects instead of ${effects}`]),
  ];
};

/** A call that was lost is charged what was reserved for it; the turn goes on under its name. */
const lostCall = (_story: Story, events: Event[]) =>
  of(events, "turn.resumed").some(({ data }) => data.lost.tokens === reserve.tokens)
    ? []
    : ["no lost call was charged"];

const orphans = ({ orphans }: Story) => (orphans >= 2 ? [] : ["no program outlived its process: nothing was shown"]);

export const cases: Case[] = [
  { row: "K1", about: "a message is parsed and not yet sent", kills: at("client.parsed", 1, 3) },
  { row: "K2", about: "events are written and not yet synced", kills: at("log.appended", 1, 7, 30) },
  { row: "K2", about: "events are half written", kills: at("log.half", 4, 12, 26) },
  { row: "K3", about: "events are synced and nobody is told", kills: at("log.synced", 1, 9, 33) },
  { row: "K4", about: "a message is acknowledged", kills: at("client.acked", 1, 4) },
  { row: "K5", about: "a turn is started, no request is made", kills: at("turn.started", 1, 4, 11), also: lostCall },
  { row: "K6", about: "a request is made, no byte is back", kills: at("backend.called", 2, 9), also: lostCall },
  { row: "K7", about: "an answer is under way", kills: at("turn.streaming", 1, 8, 23), also: lostCall },
  { row: "K8", about: "an answer is complete and not recorded", kills: at("turn.heard", 1, 7), also: lostCall },
  { row: "K9", about: "an answer is recorded", kills: at("turn.answered", 2, 8) },
  { row: "K9", about: "an answer is durable", kills: at("durable turn.answered", 1, 5) },
  { row: "K10", about: "a tool is started", kills: at("tool.started", 1, 9, 20) },
  {
    row: "K10",
    about: "an effect is announced and not done",
    kills: at("poke.begun", 1),
    also: toldUnknown("poke", 1),
  },
  {
    row: "K11",
    about: "a program runs that must not be repeated",
    kills: at("program.running", 1),
    seconds: 60,
    also: (story, events) => [...orphans(story), ...toldUnknown("program", 2)(story, events)],
  },
  {
    row: "K11",
    about: "a program runs that may be repeated",
    kills: at("measure.running", 1),
    seconds: 60,
    also: orphans,
  },
  { row: "K12", about: "a tool has run and nobody knows", kills: at("tool.ran", 2, 10) },
  {
    row: "K12",
    about: "an effect is done and nobody knows",
    kills: at("poke.done", 1, 2),
    also: toldUnknown("poke", 2),
  },
  { row: "K13", about: "one of several calls has ended", kills: at("tool.ended", 3, 9, 12) },
  { row: "K13", about: "one of several calls has durably ended", kills: at("durable tool.ended", 2, 6) },
  { row: "K14", about: "mail is durable and its reader not woken", kills: at("durable mail", 1, 2) },
  { row: "K15", about: "the files to publish are written", kills: at("publish.written", 1, 5) },
  { row: "K15", about: "the published folder has its name", kills: at("publish.renamed", 2, 5) },
  { row: "K15", about: "all is published except in the log", kills: at("publish.ready", 1, 5) },
  { row: "K15", about: "the answer is written aside", kills: at("file.drafted output", 1) },
  { row: "K15", about: "a file to be published is written aside", kills: at("file.drafted scratch", 1) },
  { row: "K16", about: "the file of a message is written aside", kills: at("file.drafted message", 7) },
  { row: "K16", about: "the index is behind the log", kills: at("index.behind", 1, 4) },
  { row: "K16", about: "the index is level and nobody knows", kills: at("index.level", 2) },
  { row: "K17", about: "a snapshot is written aside", kills: at("file.drafted snapshot", 1) },
  { row: "K17", about: "a snapshot is in its place", kills: at("snapshot.written", 1, 3) },
  {
    row: "K18",
    about: "recovery itself, several times in a row",
    kills: [
      ["turn.started#4", "home.locked#1", "runtime.started#1", "log.appended#1", "log.synced#1"].map(kill),
      ["poke.done#1", "log.half#1", "file.drafted torn#1", "durable turn.resumed#1"].map(kill),
    ],
  },
];

function kill(text: string): Kill {
  const [point, hit] = text.split("#") as [string, string];
  return { point, hit: Number(hit) };
}

import { expect, test } from "vitest";
import { mail, use } from "../runtime/model.test-help.ts";
import { call, node, spawn, team, told } from "../toolkit/tool.test-help.ts";

const set = (type: string, config: unknown, action: unknown = "look again") =>
  call("schedule", { type, config, action });

const good: [string, unknown, unknown, unknown][] = [
  ["delayed", { delay_seconds: 60 }, "look", { type: "wake_agent", text: "look" }],
  [
    "at_time",
    { at: "2099-05-01T09:00:00+02:00" },
    { type: "wake_agent", text: "look" },
    { type: "wake_agent", text: "look" },
  ],
  [
    "scheduled",
    { cron: "30 9 * * 1-5", zone: "Europe/Berlin" },
    { type: "send_message", to: "ANN", message: "up" },
    { type: "send_message", to: "ann", text: "up" },
  ],
  ["scheduled", { cron: "0 30 9 * * 1-5" }, { text: "look" }, { type: "wake_agent", text: "look" }],
  [
    "heartbeat",
    { interval_seconds: 7_200 },
    { type: "run_node", node_id: "n1" },
    { type: "run_node", node: "n1-work" },
  ],
  ["on_event", { pattern: "question.*", filter: { by: "ann" } }, "look", { type: "wake_agent", text: "look" }],
  ["on_idle", '{"idle_seconds": 7200}', '{"type": "wake_agent", "text": "look"}', { type: "wake_agent", text: "look" }],
];
test.each(good)("%s with %j does %j", async (type, config, action, meant) => {
  const play = { coordinator: [{ calls: [spawn("Ann"), node("work"), set(type, config, action)] }] };
  const world = await team(play, { limits: { seconds_per_node: 1 } });
  expect(world.told()[2]).toMatch(/^Scheduled as t1\./);
  const schedule = { type, ...(typeof config === "string" ? JSON.parse(config) : (config as object)) };
  expect(world.state().triggers.get("t1")).toMatchObject({
    schedule,
    action: meant,
    by: "coordinator",
    missed: "once",
  });
});

const bad: [string, unknown, unknown, RegExp][] = [
  ["delayed", {}, "x", /^error: config: delay_seconds: .*; delayed takes \{delay_seconds: number\}$/],
  ["delayed", "soon", "x", /^error: "soon" is not an object; delayed takes/],
  ["at_time", { at: "2099-05-01T09:00:00" }, "x", /; at_time takes \{at: time in ISO 8601 with its zone/],
  ["at_time", { at: "1999-05-01T09:00:00Z" }, "x", /is not in the future/],
  ["scheduled", { cron: "every day" }, "x", /allowed are 5 fields/],
  ["scheduled", { cron: "0 9 * * *", zone: "Mars/Base" }, "x", /Mars\/Base/],
  ["heartbeat", { interval_seconds: 1 }, "x", /the minimum interval is 10 s/],
  ["on_event", { pattern: "moon.full" }, "x", /no event type matches "moon.full"; use a pattern/],
  ["sometimes", {}, "x", /schedule: type: .*"delayed"\|"at_time".*It takes \{type: "delayed" \| "at_time"/],
  ["delayed", { delay_seconds: 1 }, " ", /the action is empty; expected a text/],
  ["delayed", { delay_seconds: 1 }, { type: "dance" }, /the action is invalid; expected a text/],
  [
    "delayed",
    { delay_seconds: 1 },
    { type: "send_message", to: "carl", text: "x" },
    /there is no participant "carl"; participants: Human/,
  ],
  ["delayed", { delay_seconds: 1 }, { type: "run_node", node: "n4" }, /there is no node n4; nodes: none/],
];
test.each(bad)("%s with %j and %j says what would be right", async (type, config, action, said) => {
  const [result] = await told(set(type, config, action));
  expect(result).toMatch(said);
  expect(result).toMatch(/^error: /);
});

test("a trigger wakes the agent with its text, and then it is over", async () => {
  const world = await team({ coordinator: [{ calls: [set("delayed", { delay_seconds: 60 })] }] });
  expect(mail(world.asked.at(-1)!).at(-1)).toBe("look again");
  expect(world.state().triggers.get("t1")).toMatchObject({ status: "expired", fires: 1 });
});

test("active triggers are listed and can be cancelled", async () => {
  const world = await team({
    coordinator: [
      {
        calls: [
          call("list_triggers"),
          set("heartbeat", { interval_seconds: 7_200 }),
          set("on_idle", { idle_seconds: 7_200 }),
          call("cancel_trigger", { trigger_id: "t2" }),
          call("cancel_trigger", { trigger_id: "t2" }),
          call("cancel_trigger", { trigger_id: "the second" }),
          call("list_triggers"),
        ],
      },
    ],
  });
  const said = world.told();
  expect(said[0]).toBe("There are no active triggers.");
  expect(said.slice(3, 6)).toEqual([
    "t2 is cancelled.",
    "t2 is cancelled.",
    "error: there is no trigger the second; active triggers: t1",
  ]);
  expect(said[6]).toMatch(
    /^t1: heartbeat \{"interval_seconds":7200\} by coordinator; next at \S+Z; fired 0 times; does \{"type":"wake_agent","text":"look again"\}$/,
  );
});

test("a worker cancels its own triggers only", async () => {
  const world = await team({
    coordinator: [{ calls: [set("heartbeat", { interval_seconds: 7_200 }), spawn("Ann"), node("work")] }],
    ann: [{ calls: [call("cancel_trigger", { trigger_id: "t1" })] }, use("publish", { summary: "s" })],
  });
  expect(world.told("ann")).toEqual([
    "error: t1 was created by coordinator; only its creator, the coordinator or the human can cancel it",
  ]);
});

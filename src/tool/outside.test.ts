import { expect, test } from "vitest";
import { z } from "zod";
import { createNetwork, threads } from "../../sim/network.ts";
import { results, use } from "../runtime/model.test-help.ts";
import { start } from "../runtime/runtime.test-help.ts";
import { Config } from "../schema/config.ts";
import { defineTool, shapeOf } from "../toolkit/tool.ts";
import { createWebTools } from "./web-tools.ts";

const hour = 3_600_000;

test("the web's tools run in a simulated world, where the web is a few pages", async () => {
  const pages = { "https://a.test/x": { headers: { "content-type": "text/plain" }, body: "a page" } };
  const tools = createWebTools({ network: createNetwork(pages), threads, config: Config.parse({}).web });
  const calls = [
    use("web_fetch", { url: "https://a.test/x" }),
    use("web_fetch", { url: "https://b.test/" }),
    use("web_fetch", { url: "http://localhost/" }),
    use("web_search", { query: "x" }),
  ].flatMap((one) => one.calls ?? []);
  const world = start({ tools, play: { coordinator: [{ calls }] } });
  await world.begin();
  await world.create();
  await world.pass(hour);
  const told = results(world.asked.filter((one) => one.participant === "coordinator")[1]!);
  expect(told).toMatchObject([
    { outcome: "ok", result: expect.stringContaining("a page") },
    { outcome: "error", result: "https://b.test/ cannot be reached: nothing is listening there" },
    { outcome: "error", result: expect.stringContaining("web.allow_private") },
    { outcome: "error", result: expect.stringContaining("No search engine is configured") },
  ]);
});

test("a tool for some workers is offered to them only, and shown with a schema of its own", async () => {
  const schema = { type: "object", properties: { x: { type: "string", format: "odd" } } };
  const some = defineTool({
    name: "for_some",
    about: "Is for some",
    guidance: "Is for some",
    effect: "reads",
    repeatable: true,
    workers: ["ann", "Cy"],
    input: z.looseObject({}),
    schema,
    run: async () => "done",
  });
  expect(shapeOf(some).input).toBe(schema);
  const spawn = (name: string) => ({ tool: "spawn_worker", input: { name } });
  const world = start({ tools: [some], play: { coordinator: [{ calls: ["Ann", "Bea", "Cy"].map(spawn) }] } });
  await world.begin();
  await world.create();
  await world.send("a1", { type: "message.post", to: "*", text: "hello" });
  await world.pass(hour);
  const has = (who: string) =>
    world.asked.find((one) => one.participant === who)?.tools.some((tool) => tool.name === "for_some");
  expect(["ann", "bea", "cy", "coordinator"].map(has)).toEqual([true, false, true, false]);
});

import { expect, test } from "vitest";
import { refusal, start } from "../core.test-help.ts";
import { resourceFile } from "./resource.ts";

const resource = "a".repeat(64);
const create = (title: string) =>
  ({ type: "resource.create", resource, title, media_type: "text/csv", size: 3, preview: "abc" }) as const;

function made() {
  const world = start();
  world.tell(create("Report"), "alice");
  return world;
}

test("a resource is kept under its hash with who made it", () => {
  const { state } = made();
  expect(state.resources.get(resource)).toMatchObject({
    id: resource,
    title: "Report",
    type: "text/csv",
    size: 3,
    by: "alice",
  });
});

test("the same content again records nothing and keeps its first title", () => {
  const { tell, state } = made();
  expect(tell(create("Other"), "bob")).toEqual([]);
  expect(state.resources.get(resource)?.title).toBe("Report");
});

test("a second event about the same hash does not change the resource", () => {
  const { append, state } = made();
  append({ type: "resource.created", data: { resource, title: "Other", type: "text", size: 9, preview: "" } });
  expect(state.resources.get(resource)).toMatchObject({ title: "Report", size: 3 });
});

test("resources belong to their run", () => {
  const { tell, state } = made();
  tell({ type: "run.finish", summary: "done" }, "coordinator");
  expect(refusal(() => tell(create("Report"), "alice"))).toMatch(/^wrong_state/);
  tell({ type: "run.start" });
  expect(state.resources.size).toBe(0);
});

test("the human may keep something for a run that is completed: the message opens it again", () => {
  const { tell, state } = made();
  tell({ type: "run.finish", summary: "done" }, "coordinator");
  tell({ ...create("Later"), resource: "b".repeat(64) }, "human");
  expect(state.resources.size).toBe(2);
  tell({ type: "message.post", text: "look" }, "human");
  expect([state.run?.status, state.resources.size]).toEqual(["open", 2]);
});

test("a resource is a file with its own ending", () => {
  const named = (title: string) => resourceFile({ id: resource, title });
  expect(named("Q3 Prices.CSV")).toBe("q3-prices-aaaaaaaa.csv");
  expect(named("What they said")).toBe("what-they-said-aaaaaaaa.txt");
  expect(named("../../etc/passwd")).toBe("etc-passwd-aaaaaaaa.txt");
});

/** Every tool is reached: it is in the prompt, or comes when the task needs it, or is found by plain words; and then it can be called. */
import { expect, test } from "vitest";
import { results, use } from "../runtime/model.test-help.ts";
import { start } from "../runtime/runtime.test-help.ts";
import { discovery } from "../schema/tool.ts";
import type { Tool } from "../toolkit/tool.ts";
import { findTools as search } from "../toolkit/tool-search.ts";
import { createBash } from "./bash.ts";
import { tools } from "./index.ts";
import { createWebTools } from "./web-tools.ts";

const all: readonly Tool[] = [
  ...tools,
  createBash({ sandbox: { bash: "required", network: [], other_hosts: "ask" } }),
  ...createWebTools({ network: {}, threads: {}, config: { allow_private: [] } } as never),
];

/** As somebody would ask who does not know its name. */
const queries: Record<string, string> = {
  create_work_node: "delegate a piece of work",
  wait_for_nodes: "wait until the others are done",
  spawn_worker: "bring in a helper",
  assign_worker: "give a node to a certain worker",
  retire_worker: "let a weak worker go",
  cancel_node: "stop a node that is no longer wanted",
  check_board: "status overview of all nodes",
  reconvene: "end the stage and open the next one",
  merge: "integrate a change into the git branch",
  send_message: "write to another agent",
  check_messages: "read new mail",
  channel_read: "what was said earlier in this run",
  suggest_next: "propose further work that is out of scope",
  dismiss_suggestion: "reject a suggestion",
  ask_human: "ask the human a question",
  ask_about: "what does another agent know about it",
  conversation_search: "what was said last time",
  memory_proposals: "accept an insight of a worker",
  schedule: "remind me tomorrow at nine",
  list_triggers: "which reminders are set",
  cancel_trigger: "stop a reminder",
  document_list: "which shared documents are there",
  document_read: "read a shared document",
  document_write: "write a shared document together",
  document_append: "add lines to a common log",
  document_own: "make someone the owner of a document",
  proposal_create: "let the team decide by a poll",
  vote: "cast my ballot",
  proposal_delegate: "let another vote for me",
  proposal_list: "result of a vote",
  proposal_withdraw: "withdraw a proposal",
  resource_create: "keep evidence that never changes",
  resource_read: "open an attachment by its hash",
  write_plan: "write a plan for everyone",
  read_file: "open a text file",
  write_file: "create a file",
  checkpoint: "report progress and pause",
  decline: "there is nothing to do, skip",
  edit_file: "replace a piece of a file",
  list_files: "list a folder",
  search_files: "grep for a word",
  read_ref: "read the input that another node published",
  memory_write: "remember something for good",
  memory_read: "read a note of my memory",
  memory_search: "what do I know from before",
  todo: "put something on my to-do list",
  publish: "hand over my result",
  finish: "end the run with the answer",
  bash: "run a shell command",
  web_fetch: "download a page",
  web_search: "look something up on the internet",
};

const others = all.filter(({ name }) => name !== discovery.find && name !== discovery.use);

test("there is a query for every tool", () => {
  expect(Object.keys(queries).sort()).toEqual(others.map(({ name }) => name).sort());
});

test.each(Object.entries(queries))("%s is found by “%s”", (name, query) => {
  const only = others.find((tool) => tool.name === name)!.only;
  const mine = others.filter((tool) => !tool.only || tool.only === (only ?? "coordinator"));
  expect(search(mine, query, 3).map((tool) => tool.name)).toContain(name);
});

test("a coordinator calls every tool that it may call: at once, or after it was found", async () => {
  const mine = tools.filter(
    ({ name, only, needs }) => only !== "worker" && !needs && name !== discovery.find && name !== discovery.use,
  );
  for (const { name, offer } of mine) {
    const world = start({ play: { coordinator: [use("find_tools", { query: queries[name]! }), use(name, {})] } });
    await world.begin();
    await world.create();
    await world.pass(3_600_000);
    const [first, second] = world.asked;
    const isListed = first!.tools.some((tool) => tool.name === name);
    expect(isListed, name).toBe(offer?.always !== undefined && offer.always !== "worker");
    const [found] = results(second!);
    expect(found!.result, name).toContain(`## ${name}\n`);
    expect(second!.tools, "finding a tool leaves the cached prefix as it is").toEqual(first!.tools);
    const called = (await world.events()).filter((event) => event.type === "tool.ended").at(-1)!;
    expect(called.data).toMatchObject({ tool: name });
    expect((called.data as { result: string }).result, name).not.toContain("There is no tool");
  }
}, 60_000);

test("what matches nothing is answered with the names of all tools", async () => {
  const world = start({ play: { coordinator: [use("find_tools", { query: "zzz" }), { say: "done" }] } });
  await world.begin();
  await world.create();
  await world.pass(3_600_000);
  expect(results(world.asked[1]!)[0]!.result).toMatch(/^No tool matches\. There are .*schedule/);
});

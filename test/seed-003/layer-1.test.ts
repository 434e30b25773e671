/** Layer 1, the execution primitive: "send a message, get a response". */
import { expect, test } from "vitest";
import { call, openHouse } from "./house.ts";

const ada = { name: "ada", goal: "Answer.", model: "anthropic/ada" };
const params = { agent: "ada" };

test("send(message) gives the reply, after the tool loop that the message led to", async () => {
  const { client, rest } = await openHouse({
    ada: [{ text: "Hello." }, call("todo", { action: "list" }), { text: "Four." }],
  });
  await client.createAgent({ body: ada });
  await rest("ada");
  const { reply } = await client.send({ params, body: { message: "2 + 2?", wait: 60 } });
  expect(reply).toMatchObject({ kind: "message", from: "coordinator", text: "Four." });
});

test("an agent is a stateful conversation with its own model, prompt and tools", async () => {
  const { client, rest, asked, told } = await openHouse({
    ada: [{ text: "Noted: blue." }, { text: "Blue." }],
    bob: [{ text: "I know no colour." }],
  });
  await client.createAgent({ body: { ...ada, goal: "My colour is blue.", tools: ["memory_read", "send_message"] } });
  await rest("ada");
  await client.send({ params, body: { message: "Which colour?", wait: 60 } });
  expect(told("ada", 1)).toMatch(/My colour is blue\.[\s\S]*Noted: blue\.[\s\S]*Which colour\?/);
  const tools = asked("ada")[1]!.tools!.map(({ name }) => name);
  expect(tools).toContain("send_message");
  expect(tools).not.toContain("write_file");

  await client.createAgent({ body: { ...ada, name: "bob", model: "anthropic/bob", soul: "You are terse." } });
  await rest("bob");
  expect(told("bob")).toContain("You are terse.");
  expect(told("bob")).not.toContain("blue");
});

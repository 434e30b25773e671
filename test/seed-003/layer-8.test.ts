/** Layer 8, large content: the channel has a reference, the content is stored once, by its hash. */
import { expect, test } from "vitest";
import { call, openHouse, pair } from "./house.ts";

const params = { agent: "t" };
const diff = Array.from({ length: 2_000 }, (_, line) => `+ line ${line} of the diff`).join("\n");

test("a long message becomes a resource by its content: the channel has a preview, the recipient fetches the whole", async () => {
  const { client, rest, told, results } = await openHouse({
    rae: [call("send_message", { to: "Cody", content: diff }), call("send_message", { to: "Cody", content: diff })],
    cody: [
      (request) => {
        const id = /[0-9a-f]{64}/.exec(JSON.stringify(request.messages.at(-1)))?.[0] ?? "none";
        return call("resource_read", { id });
      },
    ],
  });
  await client.createAgent(pair("@Rae send the diff."));
  await rest("t");
  const { items } = await client.listResources({ params });
  expect(items).toHaveLength(1);
  const last = JSON.stringify(told("cody", 0));
  expect(last).not.toContain("line 1999 of the diff");
  expect(results("cody", 1)[0]).toContain("line 0 of the diff");
  const whole = await client.readResource({ params: { ...params, id: items[0]!.id }, query: { raw: "1" } });
  expect(await whole.text()).toBe(diff);
});

test("people give resources with a message, and agents read them", async () => {
  const { client, rest, results } = await openHouse({
    rae: [
      { text: "Waiting." },
      (request) => call("resource_read", { id: /[0-9a-f]{64}/.exec(JSON.stringify(request.messages.at(-1)))?.[0] }),
    ],
  });
  await client.createAgent(pair("@Rae wait for prices.", { on_idle: "stay" }));
  await expect.poll(async () => (await client.waitForAgent({ params, query: { seconds: 5 } })).why).toBe("idle");
  const { id } = await client.createResource({
    params,
    body: { title: "prices.csv", text: "chip,price\nH100,25000\n" },
  });
  await client.send({ params, body: { message: "Here they are.", to: "rae", resources: [id] } });
  await expect.poll(() => results("rae", 2)[0]).toContain("H100,25000");
  await rest("t");
});

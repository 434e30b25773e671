/** Seed 000, test 2: a program is written, run, mended and run again. The API it asks is a local one, so the sandbox is off here. */
import { expect } from "vitest";
import { done } from "./log.ts";
import { call, calls, sure } from "./model.ts";
import { play } from "./play.ts";

const script = (url: string) => `import json, urllib.request

with urllib.request.urlopen("${url}/v1/price") as answer:
    print("BTC", json.load(answer)["bitcoin"]["usd"])
`;
const run = call("bash", { command: "python3 btc_price.py > price.txt && cat price.txt" });

play({
  number: 2,
  title: "a program is written, fails, is mended and works",
  setting: {
    config: { sandbox: { bash: "off" }, policy: [{ do: "allow", tool: "bash" }] },
    cast: ({ url }) => ({
      coordinator: [
        calls(call("write_file", { path: "btc_price.py", content: script(url) })),
        calls(run),
        sure(run, ({ result }) =>
          result("bash").includes("HTTP Error 410")
            ? calls(call("edit_file", { path: "btc_price.py", old: "/v1/", new: "/v2/" }), run)
            : calls(call("finish", { summary: "It worked at once, which was not expected." })),
        ),
        sure(run, calls(call("read_file", { path: "price.txt" }))),
        ({ result }) =>
          calls(call("finish", { summary: `The script works: ${result("read_file").trim()} US dollars.` })),
      ],
    }),
  },
  check(stage) {
    const { answer, published } = stage.outcome();
    expect(Object.keys(published)).toEqual(["published/btc_price.py", "published/price.txt"]);
    expect(answer).toBe("The script works: BTC 97123.45 US dollars.\n");
    const ran = done(stage.events()).filter(({ tool }) => tool === "bash");
    expect(ran).toHaveLength(2);
    expect(ran[0]!.result).toContain("[exit code 1]");
    expect(ran[1]!.result).toContain("[exit code 0]");
    expect(stage.web.hits).toEqual(["/v1/price", "/v2/price"]);
  },
  killed: {
    title: "killed while the program runs, the agent is told that nobody knows, looks, and ends with the same",
    moments(stage) {
      stage.web.hang = "/v2/price";
      return [() => stage.web.hits.includes("/v2/price")];
    },
    check(stage) {
      const ran = done(stage.events()).filter(({ tool }) => tool === "bash");
      expect(ran.map(({ outcome }) => outcome)).toEqual(["ok", "unknown", "ok"]);
      expect(stage.web.hits).toEqual(["/v1/price", "/v2/price", "/v2/price"]);
    },
  },
});

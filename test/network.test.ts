/** Commands in a real sandbox that want to reach hosts which nobody has allowed: the human is asked, and the command goes on or is told no. */
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { machine } from "../src/lib/machine/index.ts";
import { bash, type Call } from "./desk.ts";
import { internet, type PlayOptions, play as playOn, removeHomes } from "./internet.ts";

removeHomes();
const missing = await machine.processes.sandbox(true);
if (missing) console.warn(`the tests of the network are left out: ${missing}`);

/** On an internet of one server, which answers with the host and the path that were asked for. */
async function play(turns: Call[], answer: PlayOptions["answer"], options: Partial<PlayOptions> = {}) {
  const echo = createServer((request, response) => response.end(`${request.headers.host}${request.url}\n`));
  const world = await internet({ 80: echo });
  return { ...(await playOn(turns, { internet: world, answer, ...options })), resolved: world.resolved };
}

const get = (url: string, rest = {}) => bash(`curl -sS -m 60 ${url}`, rest);

describe.skipIf(missing)("a host that nobody has allowed", () => {
  test("is asked about with host, command and who; the command waits, and goes on with the answer", async () => {
    const { texts, questions, resolved, events } = await play([get("http://api.example.com/price")], () => "this time");
    expect(texts).toEqual(["api.example.com/price\n[exit code 0]"]);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatchObject({
      by: "coordinator",
      options: ["this time", "this run", "always", "no"],
      host: {
        host: "api.example.com",
        subject: "api.example.com",
        command: "curl -sS -m 60 http://api.example.com/price",
      },
    });
    expect(questions[0]?.text).toMatch(/^May a command of .+ reach api\.example\.com\?\n/);
    expect(resolved).toEqual(["api.example.com"]);
    expect(events.find(({ type }) => type === "host.opened")?.data).toMatchObject({
      host: "api.example.com",
      question: "q1",
    });
  });

  test("its name is not even resolved before the human has allowed it", async () => {
    const { texts, resolved } = await play([get("http://secret-data.example.com/")], () => "no, not that one");
    expect(resolved).toEqual([]);
    expect(texts[0]).toContain("[secret-data.example.com was not reached: the human said no: not that one]");
  });

  test("this time is for one command, this run for all that follow, no for none", async () => {
    const said = ["this time", "this run", "no"];
    const { texts, questions } = await play(
      [
        get("http://a.example.com/1"),
        get("http://a.example.com/2"),
        get("http://a.example.com/3"),
        get("http://b.example.com/"),
        get("http://b.example.com/"),
      ],
      () => said.shift(),
    );
    expect(texts.slice(0, 3).map((text) => text.split("\n")[0])).toEqual([
      "a.example.com/1",
      "a.example.com/2",
      "a.example.com/3",
    ]);
    expect(questions.map(({ host }) => host?.host)).toEqual(["a.example.com", "a.example.com", "b.example.com"]);
    for (const text of texts.slice(3)) expect(text).toContain("b.example.com was not reached: the human said no");
  });

  test("always is written down once, and counts without a further question", async () => {
    const kept: string[] = [];
    const { texts, questions, events } = await play(
      [get("http://pypi.org/a"), get("https://pypi.org -k; curl -sS http://registry.npmjs.org/b")],
      () => "always",
      {
        allowAlways: (subject) => void kept.push(subject),
      },
    );
    expect(texts[0]).toContain("pypi.org/a");
    expect(texts[1]).toContain("registry.npmjs.org/b"); // one answer for all registries
    expect(kept).toEqual(["packages"]);
    expect(questions).toHaveLength(1);
    expect(questions[0]?.text).toContain("package registry");
    expect(events.filter(({ type }) => type === "host.kept")).toHaveLength(1);
  });

  test("a client that gives up first is told, and its participant is woken by the answer to repeat the command", async () => {
    const impatient = bash("curl -sS -m 3 http://a.example.com/");
    const { texts, events, questions } = await play([impatient, get("http://a.example.com/again")], (event, house) => {
      // Only once nobody waits any more at the proxy, and the asker is parked.
      void house
        .until("a1", ({ type }) => type === "turn.ended")
        .then(() =>
          house.runtime.send("a1", { type: "question.answer", question: event.data.question, answer: "this time" }),
        );
      return undefined;
    });
    expect(texts[0]).toMatch(
      /timed out[\s\S]*\[exit code 28\]\n\[a\.example\.com was not reached: the human was asked \(q1\) and has not answered yet\]\n\[You are woken when q1 is answered; then repeat the command\.\]$/,
    );
    expect(events.find(({ type }) => type === "turn.ended")?.data).toMatchObject({
      wait: { for: "question", question: "q1" },
    });
    expect(texts[1]).toContain("a.example.com/again\n[exit code 0]"); // the answer was for this time, and this is it
    expect(questions).toHaveLength(1);
  });

  test("a program that tries very many hosts asks about a few, and is told why not about the others", async () => {
    const many = bash(
      "for i in $(seq 1 30); do curl -sS -m 60 http://h$i.example.com/ >> told & done; until [ $(grep -c . told) -ge 22 ]; do sleep 0.1; done; sort -u told | tail -1",
    );
    const { texts, questions } = await play([many], () => undefined);
    expect(questions).toHaveLength(8);
    expect(texts[0]).toContain("8 questions about hosts are waiting for an answer already");
  });

  test("an address inside, another port and a name that leads inside are never asked about, or never reached", async () => {
    const { texts, questions } = await play(
      [
        bash(
          "for u in http://10.0.0.1/ http://intranet/ http://169.254.169.254/ http://printer.local/ http://a.example.com:8080/; do curl -sS -m 5 $u; done",
        ),
        get("http://private.example.com/"),
      ],
      () => "this run",
    );
    expect(questions.map(({ host }) => host?.host)).toEqual(["private.example.com"]);
    expect(texts[0]).toContain("10.0.0.1 is not a public address");
    expect(texts[0]).toContain("port 8080 is not allowed");
    expect(texts[1]).toContain("private.example.com does not lead to a public address");
  });

  test("the run is tainted by a host that was reached, and later questions say so", async () => {
    const { questions, events } = await play(
      [get("http://a.example.com/"), get("http://b.example.com/")],
      () => "this run",
    );
    expect(questions[0]?.host?.tainted).toBeUndefined();
    expect(questions[1]?.host?.tainted).toBe(true);
    expect(questions[1]?.text).toContain(
      "This run has read what a.example.com says: the host may be a stranger's idea.",
    );
    expect(events.filter(({ type }) => type === "host.opened")).toHaveLength(2);
  });

  test("servers in the sandbox are reached without a question", async () => {
    const { texts, questions } = await play(
      [
        bash(
          "python3 -m http.server 8123 >/dev/null 2>&1 & curl -sS --retry 300 --retry-delay 1 --retry-connrefused http://localhost:8123/ 2>/dev/null | head -1",
        ),
      ],
      () => "no",
    );
    expect(questions).toEqual([]);
    expect(texts[0]).toMatch(/<!DOCTYPE/i);
  });
});

/** Seed 000, test 8: a program with its own loop does a node. Here it is a small stand-in for the agent CLIs that people have. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { done, of, runRoot } from "./log.ts";
import { call, calls, ended, sure } from "./model.ts";
import { play } from "./play.ts";
import { began, happened } from "./stage.ts";
import { standIn } from "./standin.ts";

const program = standIn(
  "converts CSV to JSON",
  `mkdir -p .state && touch .state/of-its-own .rc
cat > csv2json.py <<'END'
import csv, json, sys

json.dump(list(csv.DictReader(sys.stdin)), sys.stdout)
END
printf 'a,b\\n1,2\\n' | python3 -B csv2json.py | grep -q '"b": "2"'`,
  "csv2json.py reads CSV from its input and writes JSON. Tried with two columns.",
);
const tryOut = call("bash", {
  command: "printf 'x,y\\n3,4\\n' | python3 -B ../nodes/n1-csv-to-json/published/csv2json.py",
});

play({
  number: 8,
  sandbox: true,
  title: "a program with its own loop does a node, and what it made works",
  setting: {
    config: { programs: { clive: `command:${program}` } },
    cast: () => ({
      coordinator: [
        calls(
          call("spawn_worker", { name: "Clive", role: "writes code", type: "autonomous", agent_command: "clive" }),
          call("create_work_node", {
            name: "CSV to JSON",
            task: "Write a Python tool that converts CSV to JSON.",
            worker: "Clive",
          }),
          call("wait_for_nodes"),
        ),
        {
          when: (sight) => ended(sight) >= 1,
          otherwise: calls(call("wait_for_nodes")),
          does: calls(call("list_files", { path: "published/n1-csv-to-json" }), tryOut),
        },
        sure(tryOut, ({ result }) =>
          calls(
            call("finish", {
              summary: `${result("list_files").trim()}\n\nI tried it: ${result("bash").split("\n")[0]}`,
            }),
          ),
        ),
      ],
    }),
  },
  check(stage) {
    const all = stage.events();
    const { answer, published, board, messages } = stage.outcome();
    expect(board).toMatchObject([{ id: "n1-csv-to-json", status: "completed", worker: "clive" }]);
    expect(published["nodes/n1-csv-to-json/published/csv2json.py"]).toContain("csv.DictReader");
    // What it said is the summary; what it was told and said by is no output, and neither are its dotfiles.
    expect(of(all, "node.completed")[0]!.data.summary).toContain("Tried with two columns.");
    expect(Object.keys(published).filter((path) => /\/published\/[._]/.test(path))).toEqual([]);
    expect(answer).toContain('I tried it: [{"x": "3", "y": "4"}]');
    expect(messages).toEqual(["clive → coordinator: I begin."]);
    // It was launched with its task, and no model was asked in its place.
    const scratch = join(runRoot(stage.home, stage.agent), "nodes/n1-csv-to-json/scratch");
    for (const file of ["_task.md", "_context.json", "_inbox.md"]) expect(existsSync(join(scratch, file))).toBe(true);
    expect(new Set(stage.team.asked.map(({ who }) => who))).toEqual(new Set(["coordinator"]));
    expect(of(all, "turn.answered").filter(({ data }) => data.participant === "clive")).toHaveLength(1);
    expect(
      done(all)
        .filter(({ by }) => by === "clive")
        .map(({ tool, outcome }) => `${tool} ${outcome}`),
    ).toEqual(["publish ok"]);
  },
  killed: {
    title:
      "killed while the program runs and while it is published, it is started again where it was, and ends with the same",
    moments: () => [happened("message.posted"), began("clive", "publish")],
    check: (stage) => expect(of(stage.events(), "turn.resumed").length).toBeGreaterThan(0),
  },
});

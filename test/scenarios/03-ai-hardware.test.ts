/** Seed 000, test 3: a team with three providers in it, two stages, and a report that builds on what the others published. */
import { expect } from "vitest";
import { done, of } from "./log.ts";
import { type Cast, call, calls, ended, type Script } from "./model.ts";
import { play, runThrough } from "./play.ts";
import { happened, models, type Stage } from "./stage.ts";

const firms = { nvidia: "Nina", amd: "Amir", intel: "Ines" };
const memory = { nvidia: 288, amd: 432, intel: 160 };

/** Looks for a firm's chip, reads about it, writes down its memory, publishes. */
const researcher = (firm: keyof typeof firms): Script => [
  calls(call("web_search", { query: `${firm} accelerator` })),
  ({ result }) => calls(call("web_fetch", { url: /http\S+/.exec(result("web_search"))![0] })),
  ({ result }) => {
    const [, size = "?"] = /with (\d+) GB/.exec(result("web_fetch")) ?? [];
    return calls(call("write_file", { path: `${firm}.md`, content: `# ${firm}\n\nMemory: ${size} GB\n` }));
  },
  calls(call("publish", { summary: `The latest chip of ${firm}, in ${firm}.md.` })),
];

const cast = (): Cast => ({
  coordinator: [
    calls(
      call("write_plan", { content: "# Plan\n\n1. One worker for each firm.\n2. One report.\n" }),
      call("spawn_worker", { name: "Nina", role: "looks into NVIDIA", model: models.anthropic }),
      call("spawn_worker", { name: "Amir", role: "looks into AMD", model: models.openai }),
      call("spawn_worker", { name: "Ines", role: "looks into Intel", model: models.google }),
      ...Object.entries(firms).map(([firm, worker]) =>
        call("create_work_node", { name: firm, task: `Research the AI chips of ${firm}.`, worker, stage: "Research" }),
      ),
      call("send_message", { to: "*", content: "Numbers with units, please." }),
      call("wait_for_nodes"),
    ),
    {
      when: (sight) => ended(sight) >= 3,
      otherwise: calls(call("wait_for_nodes")),
      does: calls(
        ...Object.keys(firms).map((firm, at) => call("read_file", { path: `published/n${at + 1}-${firm}/${firm}.md` })),
      ),
    },
    calls(
      call("reconvene", {
        assessment: "All three are there; what is missing is the comparison.",
        next_stage: { name: "Report" },
      }),
      call("spawn_worker", { name: "Rosa", role: "writes reports", model: models.openai }),
      call("create_work_node", {
        name: "Report",
        task: "Synthesize the findings into one comparison.",
        refs: Object.fromEntries(Object.keys(firms).map((firm, at) => [firm, `n${at + 1}-${firm}/${firm}.md`])),
        worker: "Rosa",
      }),
      call("wait_for_nodes"),
    ),
    {
      when: (sight) => ended(sight) >= 4,
      otherwise: calls(call("wait_for_nodes")),
      does: calls(call("read_file", { path: "published/n4-report/report.md" })),
    },
    ({ result }) => calls(call("finish", { summary: result("read_file") })),
  ],
  nina: researcher("nvidia"),
  amir: researcher("amd"),
  ines: researcher("intel"),
  rosa: [
    calls(...Object.keys(firms).map((firm) => call("read_ref", { ref_name: firm }))),
    ({ lines }) => {
      const read = lines.flatMap((line) => (line.by === "tool" && line.tool === "read_ref" ? [line.text] : []));
      const specs = read.map((text) => text.replace(/^# (\w+)\n\nMemory: /, "| $1 | ").trim());
      const report = ["# AI hardware", ...specs.map((row) => `${row} |`), "Recommendation: amd, for its memory."].join(
        "\n\n",
      );
      return calls(call("write_file", { path: "report.md", content: `${report}\n` }));
    },
    calls(call("publish", { summary: "The comparison, in report.md." })),
  ],
});

/** Nobody of the three is answered before all three have asked: this ends only if they work side by side. */
function together({ team }: Stage): void {
  const waiting = new Map<string, () => void>();
  const here = new Set<string>();
  team.before(({ who }) => {
    if (!["nina", "amir", "ines"].includes(who) || here.size === 3) return undefined;
    here.add(who);
    if (here.size === 3) for (const go of waiting.values()) go();
    return here.size === 3 ? undefined : new Promise<void>((go) => waiting.set(who, go));
  });
}

play({
  number: 3,
  title: "three workers with three providers work side by side, and a fourth joins what they found",
  setting: {
    articles: Object.fromEntries(
      Object.entries(memory).map(([firm, size]) => [
        firm,
        `The latest ${firm} accelerator comes with ${size} GB of memory.`,
      ]),
    ),
    cast,
  },
  async act(stage) {
    together(stage);
    await runThrough(stage);
  },
  check(stage) {
    const all = stage.events();
    const { answer, published, board, messages } = stage.outcome();
    expect(published["nodes/n1-nvidia/published/nvidia.md"]).toBe("# nvidia\n\nMemory: 288 GB\n");
    expect(published["nodes/n2-amd/published/amd.md"]).toBe("# amd\n\nMemory: 432 GB\n");
    expect(published["nodes/n3-intel/published/intel.md"]).toBe("# intel\n\nMemory: 160 GB\n");
    for (const row of ["| nvidia | 288 GB |", "| amd | 432 GB |", "| intel | 160 GB |"]) expect(answer).toContain(row);
    expect(board.map(({ id, status, worker }) => [id, status, worker])).toEqual([
      ["n1-nvidia", "completed", "nina"],
      ["n2-amd", "completed", "amir"],
      ["n3-intel", "completed", "ines"],
      ["n4-report", "completed", "rosa"],
    ]);
    expect(messages).toEqual(["coordinator → human, nina, amir, ines: Numbers with units, please."]);
    expect(of(all, "stage.reconvened").map(({ data }) => data.completed.length)).toEqual([3, 1]);
    const asked = new Map(stage.team.asked.map(({ who, format }) => [who, format]));
    expect(Object.fromEntries(asked)).toEqual({
      coordinator: "anthropic",
      nina: "anthropic",
      amir: "openai",
      ines: "google",
      rosa: "openai",
    });
    // What the coordinator said reached each of them, whatever its provider.
    for (const who of ["nina", "amir", "ines"])
      expect(stage.team.asked.findLast((one) => one.who === who)!.all).toContain("Numbers with units, please.");
    expect(done(all).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  },
  killed: {
    title: "killed when the first worker is done and while the stage changes, the team ends with the same",
    moments: () => [happened("node.completed"), happened("stage.completed")],
  },
});

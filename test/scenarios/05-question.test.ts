/** Seed 000, test 5: the agent asks the human in the middle of its work, waits at no cost, and goes on with the answer. */
import { expect } from "vitest";
import { done, of, statuses } from "./log.ts";
import { call, calls } from "./model.ts";
import { play } from "./play.ts";
import { happened, type Match, type Stage, turned } from "./stage.ts";

const question = "Should I use PostgreSQL or SQLite? What is the use case?";
const answer = "PostgreSQL, it is for a production web app";

/** The terminal says that it waits and ends; the answer comes over the API, as no person sits at this terminal. */
async function answered(stage: Stage, moment?: Match): Promise<void> {
  const person = await stage.person();
  const asked = of(stage.events(), "question.asked")[0]!;
  await person.send({ type: "question.answer", question: asked.data.question, answer }, "the-answer");
  if (!moment) {
    await stage.until(happened("agent.completed"), person);
    return person.leave();
  }
  await stage.until(moment, person);
  await person.kill();
  // Whoever did not hear that the answer arrived gives it again: it counts once.
  const again = await stage.person();
  const { repeated } = await again.send(
    { type: "question.answer", question: asked.data.question, answer },
    "the-answer",
  );
  expect(repeated).toBe(true);
  await stage.until(happened("agent.completed"), again);
  await again.leave();
}

play({
  number: 5,
  title: "a question parks the agent, and the answer is what it goes by",
  setting: {
    cast: () => ({
      coordinator: [
        calls(call("write_file", { path: "notes.md", content: "# Notes\n\nFirst find out what it is for.\n" })),
        calls(call("ask_human", { question, options: ["PostgreSQL", "SQLite"] })),
        ({ all }) => {
          const [, chosen = "nothing"] = /Answer to q1: (\w+)/.exec(all) ?? [];
          return calls(call("write_file", { path: "database.yaml", content: `engine: ${chosen.toLowerCase()}\n` }));
        },
        calls(call("read_file", { path: "database.yaml" })),
        ({ result }) => calls(call("finish", { summary: `The database is set up (${result("read_file").trim()}).` })),
      ],
    }),
  },
  async act(stage) {
    const { code, out } = await stage.live();
    expect(code).toBe(4);
    expect(out.replace(/\s+/g, " ").split(question)).toHaveLength(2); // whole, and once
    expect(out).toContain("agiraph resume database");
    const waited = stage.team.asked.length;
    expect(waited).toBe(2);
    await answered(stage);
  },
  check(stage) {
    const all = stage.events();
    expect(of(all, "question.asked").map(({ data }) => data.text)).toEqual([question]);
    expect(statuses(all)).toEqual(["idle", "working", "waiting_for_human", "working", "completed"]);
    expect(stage.outcome().published["published/database.yaml"]).toBe("engine: postgresql\n");
    expect(stage.outcome().answer).toBe("The database is set up (engine: postgresql).\n");
    // Question and answer are in the conversation that the model is shown.
    const last = stage.team.asked
      .at(-1)!
      .lines.map((line) => JSON.stringify(line))
      .join("\n");
    expect(last).toContain(question);
    expect(last).toContain(`Answer to q1: ${answer}`);
    expect(done(all).filter(({ tool }) => tool === "ask_human")).toHaveLength(1);
  },
  killed: {
    title: "killed while it asks and after it was answered, it asks and is answered once",
    moments: () => [],
    async act(stage) {
      const life = stage.program(...stage.example.args);
      await stage.until(happened("question.asked"), life);
      life.child.kill("SIGKILL");
      await life.ended;
      const { code, out } = await stage.program("resume", stage.agent).ended;
      expect(code).toBe(4);
      expect(out).toContain("Still open:");
      expect(out.replace(/\s+/g, " ")).toContain(question);
      await answered(stage, turned("coordinator", 3));
    },
  },
});

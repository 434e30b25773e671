/** What the scenarios brought to light beside what they are for. */
import { expect, test } from "vitest";
import { call, calls } from "./model.ts";
import { onStage } from "./stage.ts";

test("a run that is finished while a worker is still thinking ends, and the program with it", () =>
  onStage(
    4,
    {
      cast: () => ({
        coordinator: [
          calls(
            call("spawn_worker", { name: "Walt" }),
            call("create_work_node", { task: "think about it", worker: "Walt" }),
          ),
          calls(call("finish", { summary: "No need to wait." })),
        ],
        walt: [],
      }),
    },
    async ({ team, program, example, outcome }) => {
      // Nobody is finished before the other one thinks, and that one never ends.
      let thinks: () => void;
      const thinking = new Promise<void>((go) => {
        thinks = go;
      });
      team.before(({ who, taken }) => {
        if (who !== "walt") return taken ? thinking : undefined;
        thinks();
        return new Promise(() => undefined);
      });
      const { code, out } = await program(...example.args).ended;
      expect(code).toBe(0);
      expect(out).toContain("No need to wait.");
      expect(outcome().board).toMatchObject([{ status: "cancelled" }]);
    },
  ));

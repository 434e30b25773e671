/** Seed 000, test 4, on a real repository: from the goal to a merged branch whose tests pass. */
import { expect } from "vitest";
import { stateOf } from "../scenarios/log.ts";
import { playOnRepository } from "./lives.ts";
import { allParts, backend, cast, docker, files, page, programs } from "./todo.ts";

playOnRepository({
  number: 4,
  title:
    "a worker with two programs and a model that it brought, a failing check that is mended, a reviewer, a conflict",
  setting: { cast, config: { programs } },
  files,
  merged: { "PARTS.md": allParts, "backend/main.py": backend, "docker/Dockerfile": docker, "frontend/App.jsx": page },
  board: [
    ["n1-todo-app", "completed", "walt", "verified"],
    ["n2-backend", "completed", "bea", "verified"],
    ["n3-frontend", "completed", "finn", "verified"],
    ["n4-docker", "completed", "dov", "claimed"],
    ["n5-review", "completed", "rhea", "claimed"],
    ["n6-merge-n3-frontend", "completed", "mona", "verified"],
  ],
  check(stage) {
    const { nodes, participants } = stateOf(stage.events());
    expect([...nodes.values()].map(({ parent }) => parent)).toEqual([
      undefined,
      ...Array(4).fill("n1-todo-app"),
      undefined,
    ]);
    expect(participants.get("bea")).toMatchObject({ kind: "autonomous", spawner: "walt" });
    expect(participants.get("dov")).toMatchObject({ single_inference: true, spawner: "walt" });
  },
  kills: {
    run: ["checkout.moved#1", "check.done#1", "git merge-tree#1", "publish.renamed#1", "publish.ready#1"],
    merge: ["handover.packed#1", "handover.moved#1"],
  },
});

/** Workflow files over HTTP. */
import type { workflowFileRoutes } from "../../api/workflow-files.ts";
import { Problem } from "../../schema/problem.ts";
import { WorkflowName } from "../../schema/workflow.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { versionIn } from "../version.ts";
import { lineOf } from "./workflows.ts";

type Needs = Pick<Served, "workflowTexts">;

export const workflowFileHandlers = ({ workflowTexts }: Needs): Handlers<typeof workflowFileRoutes> => {
  function texts() {
    if (workflowTexts) return workflowTexts;
    throw new Problem("not_found", "this home has no workflows");
  }
  return {
    async readWorkflow({ params: { workflow } }) {
      return await texts().read(named(workflow));
    },
    async checkWorkflow({ body: { text, name } }) {
      const found = texts().check(text, name);
      if ("problems" in found) return { workflow: null, problems: found.problems };
      return { workflow: lineOf({ ...found.usable, name, from: "home", path: `${name}.yaml` }), problems: [] };
    },
    async writeWorkflow({ params: { workflow }, body: { text }, request }) {
      return await texts().write(named(workflow), text, versionIn(request.headers.get("if-match")));
    },
  };
};

/** The name is part of a path. */
function named(given: string): string {
  const name = WorkflowName.safeParse(given);
  if (name.success) return name.data;
  throw new Problem("not_found", `${given} cannot be the name of a workflow: ${name.error.issues[0]?.message}`);
}

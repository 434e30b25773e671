/** What Start will do, or why it is disabled; and the request that creates the agent. */
import type { Offer, OfferedProgram } from "../../api/models.ts";
import type { WorkflowLine } from "../../api/workflows.ts";
import { plural } from "../parts/text/words.ts";
import { type Typed, valuesOf, whyNot } from "../workflows/params-form.tsx";
import type { Draft } from "./draft.ts";
import { shortFolder } from "./folder.tsx";
import { modelTitle, programOf } from "./models.tsx";
import type { Wish } from "./wish.ts";

export interface Plan {
  /** Why it cannot begin. */
  why: string | undefined;
  /** What will happen. */
  says: string;
  /** The model it would think with; empty if there is none. */
  model: string;
  wish: Wish;
}

export function planOf(
  draft: Draft,
  offer: Offer | undefined,
  workflow: WorkflowLine | undefined,
  typed: Typed = {},
): Plan {
  const { goal, mode, every, folder, name } = draft;
  const isOffered = offer?.models.some((one) => one.name === draft.model) || programOf(draft.model, offer);
  const chosen = isOffered ? draft.model : "";
  const model = chosen || (workflow?.model ?? offer?.model ?? offer?.programs.find(isReady)?.name ?? "");
  const unlimited = draft.usd.trim().toLowerCase() === "none";
  const usd = draft.usd.trim() === "" || unlimited ? undefined : Number(draft.usd);
  const usual = workflow?.budget.usd ?? offer?.budget.usd;
  const most = unlimited ? undefined : (usd ?? usual);
  const tools = draft.tools.split(",").flatMap((one) => one.trim() || []);
  const window = draft.window ? Number(draft.window) : undefined;
  const why = !goal.trim()
    ? "Write the goal first"
    : offer && !model
      ? "No model available"
      : usd !== undefined && !(usd > 0)
        ? "Enter the budget as a number of dollars"
        : window !== undefined && window < 16_000
          ? "The context window needs 16,000 tokens or more"
          : whyNot(workflow?.params ?? [], typed);
  const with_ = workflow
    ? ` with ${plural(workflow.workers.length, "worker")}${workflow.nodes.length ? ` and ${plural(workflow.nodes.length, "node")}` : ""}`
    : "";
  const says = [
    `Starts at once${with_}`,
    model ? `thinks with ${modelTitle(model, offer)}` : "",
    most === undefined ? "spends without a limit" : `spends at most $${most}`,
    folder.trim() ? `works on ${shortFolder(folder)}` : "",
    mode === "infinite"
      ? `wakes ${rhythms[every] ?? `every ${every} s`} until you stop it`
      : workflow?.led === false
        ? "ends when everyone is idle"
        : "stops when it is done",
  ].filter(Boolean);
  const values = valuesOf(workflow?.params ?? [], typed);
  return {
    why,
    says: `${says.join(", ")}.`,
    model,
    wish: {
      goal: goal.trim(),
      mode,
      ...(chosen || (model && !workflow?.model) ? { model } : {}),
      ...(unlimited ? { budget: { usd: null } } : usd === undefined ? {} : { budget: { usd } }),
      ...(mode === "infinite" ? { cycle_seconds: every } : {}),
      ...(workflow ? { workflow: workflow.name } : {}),
      ...(Object.keys(values).length ? { params: values } : {}),
      ...(folder.trim() ? { folder: folder.trim().replace(/(.)\/+$/, "$1") } : {}),
      ...(tools.length ? { tools } : {}),
      ...(window === undefined ? {} : { context_window: window }),
      ...(name.trim() ? { name: name.trim() } : {}),
      ...(draft.soul.trim() ? { soul: draft.soul } : {}),
    },
  };
}

const isReady = ({ state }: OfferedProgram): boolean => state === "ready";

export const rhythms: Record<number, string> = {
  3600: "every hour",
  21600: "every 6 hours",
  86400: "every day",
  604800: "every week",
};

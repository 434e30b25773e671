/** The team that a workflow makes, what it asks for, and its start. */
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { WorkflowLine } from "../../api/workflows.ts";
import { WorkflowPreview } from "../new/workflow.tsx";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import { ParamsForm, type Typed, valuesOf, whyNot } from "./params-form.tsx";

interface Given {
  name: string;
  /** As it would be made of the text that is shown; missing: it has problems. */
  workflow: WorkflowLine | undefined;
  /** The saved file, which is what is run; missing: there is none that can be. */
  saved: WorkflowLine | undefined;
  isSaved: boolean;
}

export function RunPanel({ name, workflow, saved, isSaved }: Given) {
  const client = useClient();
  const navigate = useNavigate();
  const { attempt } = useToasts();
  const [typed, setTyped] = useState<Typed>({});
  const [goal, setGoal] = useState("");
  const [starting, setStarting] = useState(false);
  const params = saved?.params ?? [];
  const why = !saved ? "Save it without problems first" : whyNot(params, typed);
  const run = async () => {
    if (why || starting) return;
    setStarting(true);
    const values = valuesOf(params, typed);
    const body = {
      workflow: name,
      ...(goal.trim() ? { goal: goal.trim() } : {}),
      ...(Object.keys(values).length ? { params: values } : {}),
    };
    const made = await attempt(client.createAgent({ body }));
    setStarting(false);
    if (made) void navigate({ to: "/agents/$agent/talk", params: { agent: made.id } });
  };
  return (
    <aside className="wf-r" aria-label={`The team of ${name}`}>
      {workflow ? (
        <WorkflowPreview workflow={workflow} />
      ) : (
        <p className="dim">The team is shown as soon as the file has no problems.</p>
      )}
      <form
        className="wf-run"
        aria-label={`Run ${name}`}
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <ParamsForm params={params} typed={typed} change={setTyped} />
        <label className="form-field">
          <span>Goal (optional)</span>
          <textarea
            className="form-input"
            rows={2}
            value={goal}
            placeholder={saved?.goal ?? "What it is to achieve"}
            onChange={({ target }) => setGoal(target.value)}
          />
        </label>
        <div className="form-row">
          <Button look="solid" large type="submit" disabled={why !== undefined || starting} title={why}>
            <Icon name="play" size={12} />
            Run
          </Button>
          <span className="dim grow text-12" role="status">
            {why ?? (isSaved ? "Starts an agent with this team." : "Runs the saved file; your changes are not in it.")}
          </span>
        </div>
      </form>
    </aside>
  );
}

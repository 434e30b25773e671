/** A preview of the chosen workflow: its workers, stages and nodes. */
import type { WorkflowLine } from "../../api/workflows.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar } from "../parts/status/avatar.tsx";

export function WorkflowOptions({ items }: { items: readonly WorkflowLine[] }) {
  const groups = [
    { label: "Yours", from: "home" },
    { label: "Examples", from: "example" },
  ];
  return (
    <>
      <option value="">Team if useful</option>
      {groups.map(({ label, from }) => {
        const some = items.filter((one) => one.from === from);
        return some.length ? (
          <optgroup key={from} label={label}>
            {some.map(({ name, problem }) => (
              <option key={name} value={name} disabled={problem !== null}>
                {name}
                {problem === null ? "" : " (cannot be used)"}
              </option>
            ))}
          </optgroup>
        ) : null;
      })}
    </>
  );
}

export function WorkflowPreview({ workflow }: { workflow: WorkflowLine }) {
  const { name, about, workers, nodes, stages, path } = workflow;
  const groups = stages.length ? stages : [""];
  return (
    <section className="sheet wf" aria-label={`Workflow ${name}`}>
      {about ? <p className="wf-a">{about}</p> : null}
      <ul className="wf-w" aria-label="Workers">
        {workers.map((one) => (
          <li key={one.name} title={one.role}>
            <Avatar who={{ id: one.name.toLowerCase(), name: one.name, kind: "harnessed" }} size={20} />
            <b>{one.name}</b>
            <span>{one.role.split(/[.\n]/)[0]}</span>
          </li>
        ))}
      </ul>
      {workflow.kickoff ? (
        <p className="wf-k">
          <Icon name="talk" size={14} />
          <span>{workflow.kickoff.trim()}</span>
        </p>
      ) : null}
      {nodes.length ? (
        <div className="wf-n">
          {groups.map((stage, at) => (
            <div key={stage} className="wf-s">
              {at > 0 ? <Icon name="right" size={12} /> : null}
              <ol aria-label={stage ? `Nodes of ${stage}` : "Nodes"}>
                {stage ? <li className="wf-h">{stage}</li> : null}
                {nodes.map((node) =>
                  (node.stage ?? "").toLowerCase() === stage.toLowerCase() ? (
                    <li key={node.id} className="wf-c">
                      <span>{node.title}</span>
                      <i>
                        {[node.worker, node.depends_on.length ? `after ${titles(workflow, node.depends_on)}` : ""]
                          .filter(Boolean)
                          .join(", ")}
                      </i>
                    </li>
                  ) : null,
                )}
              </ol>
            </div>
          ))}
        </div>
      ) : (
        <p className="dim">
          {workflow.led
            ? "It defines no nodes: the agent creates them."
            : "Nobody leads it and it defines no nodes: they talk in the channel."}
        </p>
      )}
      <p className="dim mono wf-p">{path}</p>
    </section>
  );
}

function titles({ nodes }: WorkflowLine, ids: readonly string[]): string {
  return ids.map((id) => nodes.find((node) => node.id === id)?.title ?? id).join(", ");
}

/** Those that cannot be used say why, where one looks for them. */
export function WorkflowProblems({ items }: { items: readonly WorkflowLine[] }) {
  const wrong = items.filter(({ problem }) => problem !== null);
  if (!wrong.length) return null;
  return (
    <ul className="wf-x" aria-label="Workflows that cannot be used">
      {wrong.map(({ name, problem }) => (
        <li key={name}>
          <Icon name="alert" size={14} />
          <span>
            <b>{name}</b> cannot be used: <span className="mono">{problem}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

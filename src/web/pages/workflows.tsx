/** Workflows: the files of this home and the examples, edited with help and checks, run with their parameters, and what was run with them. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import type { CheckedWorkflow } from "../../api/workflow-files.ts";
import type { WorkflowLine } from "../../api/workflows.ts";
import { Problem } from "../../schema/problem.ts";
import { WorkflowName } from "../../schema/workflow.ts";
import { NewFile } from "../files/new-file.tsx";
import { Button } from "../parts/controls/button.tsx";
import { FindField } from "../parts/controls/find-field.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { StatusDot } from "../parts/status/status.tsx";
import { plural } from "../parts/text/words.ts";
import { PageHeader } from "../shell/header.tsx";
import { useStep } from "../shell/use-step.ts";
import { useClient, useSummaries } from "../store/hooks.ts";
import { FilePanel, type WorkflowText } from "../workflows/file-panel.tsx";
import { Instances } from "../workflows/instances.tsx";
import { RunPanel } from "../workflows/run-panel.tsx";
import "../style/files.css";
import "../style/workflows.css";

export function Page() {
  const { of } = useSearch({ strict: false }) as { of?: string };
  const navigate = useNavigate();
  const summaries = useSummaries();
  const { items, problem, again } = useWorkflows();
  const [query, setQuery] = useState("");
  const [making, setMaking] = useState(false);
  const shown = (items ?? []).filter(({ name, about }) =>
    `${name} ${about ?? ""}`.toLowerCase().includes(query.trim().toLowerCase()),
  );
  const at = of ?? shown[0]?.name;
  const open = (name: string | undefined) => void navigate({ to: "/workflows", search: name ? { of: name } : {} });
  useStep(
    shown,
    ({ name }) => name === at,
    ({ name }) => open(name),
  );
  const used = new Set(summaries.flatMap(({ workflow }) => workflow ?? []));
  return (
    <>
      <PageHeader title="Workflows" icon="flow" sub={items ? `${items.length}, ${used.size} in use` : undefined}>
        <Button onClick={() => setMaking(true)}>
          <Icon name="plus" size={14} />
          New workflow
        </Button>
      </PageHeader>
      {problem ? (
        <Failed what="The workflows cannot be listed" problem={problem}>
          <Button onClick={() => void again()}>Try again</Button>
        </Failed>
      ) : !items ? (
        <Loading rows={6} />
      ) : (
        <div className={`wfs ${of ? "with" : ""}`}>
          <section className="wfs-l" aria-label="Workflows">
            <FindField label="Find a workflow" query={query} change={setQuery} />
            {groups.map(({ title, from }) => {
              const some = shown.filter((one) => one.from === from);
              return some.length ? (
                <section key={from} aria-label={title}>
                  <div className="q-h">
                    <h2>{title}</h2>
                    <span className="c num">{some.length}</span>
                  </div>
                  <ul>
                    {some.map((one) => (
                      <Row key={one.name} line={one} on={one.name === at} open={() => open(one.name)} />
                    ))}
                  </ul>
                </section>
              ) : null;
            })}
            {shown.length ? null : (
              <Empty title={items.length ? "No workflow of that name" : "No workflows yet"} icon="flow">
                <p>A workflow declares a team in a file: who works in it, on what, and how it starts.</p>
              </Empty>
            )}
          </section>
          {at ? (
            <One key={at} name={at} items={items} again={again} back={of ? () => open(undefined) : undefined} />
          ) : null}
        </div>
      )}
      <NewFile
        open={making}
        close={() => setMaking(false)}
        what="New workflow"
        where="In workflows/ of your home, as NAME.yaml. Small letters, digits, - and _"
        make={(given) => {
          const name = given.replace(/\.ya?ml$/, "");
          if (!WorkflowName.safeParse(name).success) return;
          setMaking(false);
          open(name);
        }}
      />
    </>
  );
}

const groups = [
  { title: "Yours", from: "home" },
  { title: "Examples", from: "example" },
] as const;

function Row({ line, on, open }: { line: WorkflowLine; on: boolean; open(): void }) {
  const { name, about, workers, nodes, problem } = line;
  const mine = useSummaries().filter(({ workflow }) => workflow === name);
  const isWorking = mine.some(({ status }) => status === "working");
  return (
    <li>
      <button type="button" className={`it ${on ? "on" : ""}`} aria-current={on ? "true" : undefined} onClick={open}>
        <span className={`ny-kind ${problem === null ? "neutral" : "failed"}`}>
          <Icon name={problem === null ? "flow" : "alert"} />
        </span>
        <span className="tx">
          <b>{name}</b>
          <span className="ell">
            {problem === null
              ? (about ?? `${plural(workers.length, "worker")}, ${plural(nodes.length, "node")}`)
              : "has problems"}
          </span>
        </span>
        <span className="rt">
          {mine.length ? <span className="num">{mine.length} run</span> : null}
          {isWorking ? <StatusDot look="working" word="One of them is at work" /> : null}
        </span>
      </button>
    </li>
  );
}

const begin = (name: string): string => `# yaml-language-server: $schema=workflow.schema.json
name: ${name}
about: What it is for, in one sentence.

agents:
  reviewer: Reviews what others wrote and asks for what is missing.
  coder: Writes it, and mends what the reviewer finds.

kickoff: "@coder please begin. @reviewer, look at every step."
`;

interface OneGiven {
  name: string;
  items: readonly WorkflowLine[];
  again(): Promise<void>;
  back: (() => void) | undefined;
}

function One({ name, items, again, back }: OneGiven) {
  const client = useClient();
  const summaries = useSummaries();
  const line = items.find((one) => one.name === name);
  const [file, setFile] = useState<WorkflowText>();
  const [problem, setProblem] = useState<Problem>();
  const [checked, setChecked] = useState<{ found: CheckedWorkflow | undefined; isSaved: boolean }>();
  const read = useCallback(async () => {
    try {
      setFile(await client.readWorkflow({ params: { workflow: name } }));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code !== "not_found") return setProblem(error);
      setFile({ name, from: "new", path: "", text: begin(name), sha256: null });
    }
  }, [client, name]);
  useEffect(() => void read(), [read]);
  if (problem) return <Failed what={`${name} cannot be read`} problem={problem} />;
  if (!file) return <Loading rows={8} />;
  const saved = line?.problem === null ? line : undefined;
  return (
    <div className="wfs-o">
      {back ? (
        <Button look="ghost" className="wfs-b" onClick={back}>
          <Icon name="back" size={14} />
          All workflows
        </Button>
      ) : null}
      <FilePanel
        key={`${file.from} ${file.sha256}`}
        file={file}
        checked={(found, isSaved) => setChecked({ found, isSaved })}
        saved={async () => {
          await Promise.all([read(), again()]);
        }}
      />
      <RunPanel
        name={name}
        workflow={checked?.found?.workflow ?? (checked?.found ? undefined : saved)}
        saved={saved}
        isSaved={checked?.isSaved ?? true}
      />
      <Instances name={name} all={summaries} />
    </div>
  );
}

function useWorkflows() {
  const client = useClient();
  const [items, setItems] = useState<readonly WorkflowLine[]>();
  const [problem, setProblem] = useState<Problem>();
  const again = useCallback(async () => {
    try {
      setItems((await client.listWorkflows()).items);
      setProblem(undefined);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }, [client]);
  useEffect(() => void again(), [again]);
  return { items, problem, again };
}

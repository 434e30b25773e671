/** What an agent changed in the user's repository or folder: each node's change and all that was merged, with the decision what becomes of it. */
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Changes, NodeChange } from "../../api/changes.ts";
import { Branches, idOf } from "../changes/branches.tsx";
import { Decide } from "../changes/decide.tsx";
import { useLineTalk } from "../changes/line-talk.ts";
import { mergedEvidence, wholeEvidence } from "../changes/merged-evidence.ts";
import { Runs } from "../changes/runs.tsx";
import { Unmerged } from "../changes/unmerged.tsx";
import { useChanges, useDiff } from "../changes/use-changes.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { EvidenceMark } from "../parts/status/evidence.tsx";
import { Empty, Failed, Loading } from "../parts/status/states.tsx";
import { nodeLook, StatusWord } from "../parts/status/status.tsx";
import { Time } from "../parts/text/time.tsx";
import { AgentHeader } from "../shell/header.tsx";
import { useAgent } from "../store/hooks.ts";
import "../style/changes.css";

export function Page() {
  const { agent = "" } = useParams({ strict: false });
  const { run } = useSearch({ strict: false }) as { run?: string };
  const changes = useChanges(agent, run);
  return (
    <>
      <AgentHeader sub="Changes" />
      {changes.problem ? (
        <Failed what="The changes cannot be read" problem={changes.problem} />
      ) : !changes.value ? (
        <Loading rows={8} />
      ) : !changes.value.workspace ? (
        <Empty title="No repository" icon="merge">
          <p>{changes.value.why ?? "This agent works on no repository."}</p>
          <p className="dim">
            Start an agent with a folder of yours: each worker then gets its own copy, and what they change is shown
            here.
          </p>
        </Empty>
      ) : (
        <Shown key={`${agent} ${run ?? ""}`} agent={agent} changes={changes.value} again={changes.again} />
      )}
    </>
  );
}

function Shown({ agent, changes, again }: { agent: string; changes: Changes; again(): void }) {
  const { run, runs } = changes;
  const past = run !== null && run !== runs.at(-1) ? run : undefined;
  const current = useAgent(agent);
  const state = past === undefined ? current : undefined;
  const navigate = useNavigate();
  const { node: wanted } = useSearch({ strict: false }) as { node?: string };
  const chosen =
    wanted ??
    (changes.integration
      ? "merged"
      : ((changes.nodes.findLast(({ change }) => change) ?? { node: "merged" }).node ?? "coordinator"));
  const node = changes.nodes.find((one) => idOf(one) === chosen);
  const change = node ? node.change : chosen === "merged" ? changes.integration : null;
  const id = node?.node ?? undefined;
  const diff = useDiff(agent, id, change ? change.commit : undefined, past);
  const talk = useLineTalk(agent, state, id);
  const open = (search: { node?: string; run?: string }) =>
    void navigate({ to: "/agents/$agent/changes", params: { agent }, search, replace: true });
  const choose = (to: string) => open({ node: to, ...(past === undefined ? {} : { run: past }) });
  const branches = (
    <>
      <Runs changes={changes} choose={(to) => open(to === runs.at(-1) ? {} : { run: to })} />
      <Branches changes={changes} state={state} chosen={chosen} choose={choose} />
    </>
  );
  return (
    <div className="cg">
      <Head
        changes={changes}
        node={node}
        past={past}
        whole={wholeEvidence(state)}
        auto={state?.agent?.merge === "auto"}
      />
      {diff.value?.files.length && !diff.problem ? (
        <DiffView
          key={`${chosen} ${diff.value.base}`}
          diff={diff.value}
          {...(past === undefined ? { talk } : {})}
          above={branches}
        />
      ) : (
        <div className="dv">
          <div className="dv-side">{branches}</div>
          {diff.problem ? (
            <Failed what="The diff cannot be read" problem={diff.problem} />
          ) : change && !diff.value ? (
            <Loading rows={10} />
          ) : (
            <Nothing node={node} changes={changes} />
          )}
        </div>
      )}
      {past === undefined ? <Decide agent={agent} changes={changes} node={node} done={again} /> : null}
    </div>
  );
}

/** Whose change it is, on what it is based, how far it can be trusted, and what was done with it. */
interface Shows {
  changes: Changes;
  node: NodeChange | undefined;
  /** The run, if it is an earlier one. */
  past: string | undefined;
  /** What checks on the whole say of all merged work. */
  whole: NodeChange["evidence"];
  /** What is merged reaches the user's branch by itself when the run is done. */
  auto: boolean;
}

function Head({ changes, node, past, whole, auto }: Shows) {
  const { workspace, integration, handovers, nodes } = changes;
  const last = handovers.at(-1);
  const branch = node ? node.change?.branch : integration?.branch;
  const evidence = node ? node.evidence : mergedEvidence(nodes, whole);
  return (
    <section className="cg-h" aria-label="What is looked at">
      <div className="l1">
        {node ? <StatusWord {...nodeLook(node.status)} /> : null}
        {branch ? <span className="mono ell">{branch}</span> : null}
        {workspace?.base ? (
          <span className="dim">
            based on {workspace.branch ? <span className="mono">{workspace.branch}</span> : null}{" "}
            <span className="mono">{workspace.base.slice(0, 7)}</span>
          </span>
        ) : null}
        <span className="dim ell">{node ? meaning(node) : workspace?.folder}</span>
        {evidence && (node?.change || integration) ? <EvidenceMark evidence={evidence} /> : null}
      </div>
      <h2>{node ? node.name : "All merged work"}</h2>
      {node?.left_out.length ? (
        <p className="small dim">
          Not kept:{" "}
          {node.left_out
            .slice(0, 3)
            .map(({ path, why }) => `${path} (${why})`)
            .join(", ")}
          {node.left_out.length > 3 ? ` and ${node.left_out.length - 3} more` : ""}
        </p>
      ) : null}
      <p className="cg-n">
        {last ? (
          <>
            <Icon name="check" size={14} />
            {last.as === "merge" ? "Merged into" : last.as === "branch" ? "Branch" : "Patch"}{" "}
            <span className="mono">{last.into}</span> <Time at={last.at} />
          </>
        ) : past !== undefined ? (
          `Work of the earlier run ${past}, as it was when the next one began.`
        ) : auto ? (
          `All merged work goes into ${workspace?.branch ?? "your folder"} by itself when the run is done (merge auto).`
        ) : (
          `Nothing reaches your ${workspace?.kind === "folder" ? "folder" : "branches"} until you decide below.`
        )}
      </p>
      {node ? null : <Unmerged changes={changes} />}
    </section>
  );
}

/** What became of it, in a sentence. */
function meaning({ change, published, merged, through, status }: NodeChange): string {
  if (!change) return "Changed nothing so far";
  if (merged) return `Merged into the integration branch${through ? ` through ${through}` : ""}`;
  if (published) return "Published, not merged into the integration branch";
  if (status === "failed") return "As it was saved when the node failed";
  if (status === "cancelled") return "As it was saved when the node was cancelled";
  return "As its worker has it now; not published yet";
}

function Nothing({ node, changes }: { node: NodeChange | undefined; changes: Changes }) {
  const waiting = changes.nodes.some(
    ({ status }) => status === "running" || status === "assigned" || status === "pending",
  );
  return (
    <Empty title={node ? "No change" : "Nothing merged yet"} icon="merge">
      <p>
        {node
          ? node.status === "running" || node.status === "waiting"
            ? "Its worker has changed no file so far. The diff appears here as soon as it does."
            : "This node changed no file of yours."
          : waiting
            ? "The nodes are at work. What they publish is listed on the left, and what is merged appears here."
            : "Choose a node on the left to see what it changed."}
      </p>
    </Empty>
  );
}

/** The human's word: what may become of the work, each with what it does to the real repository, and one more look before it is done. */
import { useId, useState } from "react";
import type { Changes, NodeChange } from "../../api/changes.ts";
import type { Client } from "../../client/index.ts";
import type { Evidence } from "../../schema/evidence.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { plural } from "../parts/text/words.ts";
import { Dialog } from "../shell/dialog.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import { type Decision, decisionsOf, type Way } from "./decision-words.ts";
import { Unmerged } from "./unmerged.tsx";

const icons: Record<Way, string> = { merge: "merge", branch: "fork", patch: "dl" };

interface Given {
  agent: string;
  changes: Changes;
  /** Only its change. */
  node?: NodeChange | undefined;
  done(): void;
}

export function Decide({ agent, changes, node, done }: Given) {
  const [asked, setAsked] = useState<Way>();
  const decisions = decisionsOf(agent, changes, node);
  const chosen = decisions.find(({ way }) => way === asked);
  return (
    <section className="dec" aria-label="Your decision">
      {decisions.map((decision) => (
        <div key={decision.way} className="dc">
          <Button why={decision.why} onClick={() => setAsked(decision.way)}>
            <Icon name={icons[decision.way]} size={14} />
            {decision.button}…
          </Button>
          <p>
            {decision.does} {decision.why ? <span className="why">{decision.why}.</span> : null}
          </p>
        </div>
      ))}
      <Dialog
        open={chosen !== undefined}
        label={chosen?.button ?? ""}
        close={() => setAsked(undefined)}
        className="take-over"
      >
        {chosen ? (
          <Ask
            key={chosen.way}
            agent={agent}
            changes={changes}
            node={node}
            decision={chosen}
            close={() => setAsked(undefined)}
            done={done}
          />
        ) : null}
      </Dialog>
    </section>
  );
}

type MergeBody = Parameters<Client["mergeChanges"]>[0]["body"];

function Ask({ agent, changes, node, decision, close, done }: Given & { decision: Decision; close(): void }) {
  const client = useClient();
  const { say } = useToasts();
  const [name, setName] = useState(decision.name);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const field = useId();
  const change = node ? node.change : changes.integration;
  const files = change?.files ?? [];
  const claimed = (node ? [node] : changes.nodes.filter(({ merged }) => merged)).filter(
    ({ evidence }) => (evidence ?? "claimed") === ("claimed" satisfies Evidence),
  );
  const named = decision.name !== "" || (decision.way === "merge" && changes.workspace?.kind === "repository");
  const go = async () => {
    setBusy(true);
    setProblem(undefined);
    const given = name.trim();
    const body: MergeBody = {
      as: decision.way,
      ...(node?.node ? { node: node.node } : {}),
      ...(named && given ? (decision.way === "merge" ? { into: given } : { name: given }) : {}),
    };
    try {
      const { text } = await client.mergeChanges({ params: { agent }, body });
      say({ look: "done", text });
      done();
      close();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "It could not be done");
      setBusy(false);
    }
  };
  return (
    <form
      className="ask-take"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && (!named || name.trim())) void go();
      }}
    >
      <h2>{decision.button}</h2>
      <p>{decision.does}</p>
      {claimed.length ? (
        <p className="warn">
          <Icon name="alert" size={14} />
          <span>
            Only claimed by {claimed.length === 1 ? "its worker" : "their workers"}, not checked:{" "}
            {claimed.map(({ name }) => name).join(", ")}.
          </span>
        </p>
      ) : null}
      {node ? null : <Unmerged changes={changes} />}
      <ul className="take-files">
        {files.slice(0, 8).map(({ path, status }) => (
          <li key={path}>
            <span className="mono ell">{path}</span>
            <span className="dim">{status}</span>
          </li>
        ))}
        {files.length > 8 ? <li className="dim">and {plural(files.length - 8, "file")} more</li> : null}
      </ul>
      {named ? (
        <div className="take-name">
          <label htmlFor={field}>{labels[decision.way]}</label>
          <input
            id={field}
            className="mono"
            value={name}
            spellCheck={false}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
      ) : null}
      {problem ? (
        <p className="failed-ink" role="alert">
          {problem}
        </p>
      ) : null}
      <div className="dialog-f">
        <span className="grow" />
        <Button look="ghost" onClick={close}>
          Leave it
        </Button>
        <Button
          look="solid"
          type="submit"
          why={named && !name.trim() ? "Give it a name first" : undefined}
          disabled={busy || (named && !name.trim())}
        >
          {busy ? "Working…" : decision.way === "merge" && name.trim() ? `Merge into ${name.trim()}` : decision.button}
        </Button>
      </div>
    </form>
  );
}

const labels: Record<Way, string> = { merge: "Into branch", branch: "Name of the branch", patch: "Name of the file" };

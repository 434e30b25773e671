/** What the guard proposes to change in a soul, with its evidence; only the person decides. */
import { useState } from "react";
import type { SoulView } from "../../api/soul.ts";
import { visible } from "../../lib/text/visible.ts";
import type { SoulProposal } from "../../schema/soul.ts";
import { Button } from "../parts/controls/button.tsx";
import { Time } from "../parts/text/time.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";

interface Given {
  agent: string;
  proposals: readonly SoulProposal[];
  fixed: boolean;
  changed(soul: SoulView): void;
}

export function SoulProposals({ agent, proposals, fixed, changed }: Given) {
  const open = proposals.filter(({ status }) => status === "open");
  const decided = proposals.filter(({ status }) => status !== "open");
  return (
    <section aria-label="Proposals">
      <h2>Proposed</h2>
      {open.length ? (
        <ul className="soul-p">
          {open.map((one) => (
            <Open key={one.id} agent={agent} proposal={one} fixed={fixed} changed={changed} />
          ))}
        </ul>
      ) : (
        <p className="dim">
          Nothing is proposed. When you ask for the same thing again and again, or work keeps ending badly in the same
          way, a line is proposed here. Only you accept it.
        </p>
      )}
      {decided.length ? (
        <details className="soul-d">
          <summary>Decided ({decided.length})</summary>
          <ul>
            {decided.map((one) => (
              <li key={one.id}>
                <b>{one.status}</b> {visible(one.line)}
                {one.status === "declined" && one.reason ? <i> {visible(one.reason)}</i> : null}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  );
}

function Open({ agent, proposal, fixed, changed }: Omit<Given, "proposals"> & { proposal: SoulProposal }) {
  const client = useClient();
  const { attempt } = useToasts();
  const [line, setLine] = useState(proposal.line);
  const [busy, setBusy] = useState(false);
  const decide = async (decision: "accept" | "decline") => {
    setBusy(true);
    const body =
      decision === "accept" && line.trim() !== proposal.line ? { decision, line: line.trim() } : { decision };
    const done = await attempt(client.decideSoulProposal({ params: { agent, proposal: proposal.id }, body }));
    const soul = done && (await attempt(client.getSoul({ params: { agent } })));
    if (soul) changed(soul);
    setBusy(false);
  };
  return (
    <li>
      <textarea
        aria-label={`The line that ${proposal.id} adds`}
        rows={2}
        maxLength={1_000}
        value={line}
        disabled={fixed}
        onChange={({ target }) => setLine(target.value)}
      />
      <p className="dim">{proposal.why}</p>
      <ul className="soul-e" aria-label="Evidence">
        {proposal.evidence.map(({ run, seq, text }) => (
          <li key={seq}>
            <span className="mono">
              {run}, event {seq}
            </span>
            <q>{visible(text)}</q>
          </li>
        ))}
      </ul>
      <div className="soul-a">
        <Time at={proposal.at} />
        <span className="grow" />
        <Button onClick={() => void decide("decline")} disabled={busy || fixed}>
          Decline
        </Button>
        <Button look="solid" onClick={() => void decide("accept")} disabled={busy || fixed || !line.trim()}>
          Add this line
        </Button>
      </div>
    </li>
  );
}

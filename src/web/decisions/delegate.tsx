/** The way to let another voter decide for the human. Whoever would vote as the human does cannot be chosen. */
import { useState } from "react";
import type { State } from "../../core/state.ts";
import { delegatesTo } from "../../core/team/proposal.ts";
import type { Proposal } from "../../schema/proposal.ts";
import { whoIs } from "../parts/status/avatar.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";

export function Delegate({
  agent,
  state,
  proposal,
  done,
}: {
  agent: string;
  state: State;
  proposal: Proposal;
  done(): void;
}) {
  const client = useClient();
  const { attempt, say } = useToasts();
  const [busy, setBusy] = useState(false);
  const others = proposal.voters.filter((id) => id !== "human" && delegatesTo(proposal, id) !== "human");
  if (!others.length) return null;
  const choose = async (to: string) => {
    setBusy(true);
    const made = await attempt(client.delegateVote({ params: { agent, proposal: proposal.id }, body: { to } }));
    setBusy(false);
    if (!made) return;
    say({ look: "done", text: `You vote as ${whoIs(state, to).name} does.` });
    done();
  };
  return (
    <label className="cast-d">
      <span>or let another voter decide:</span>
      <select
        className="form-input"
        aria-label="Vote as another voter does"
        value=""
        disabled={busy}
        onChange={({ target }) => void choose(target.value)}
      >
        <option value="" disabled>
          Vote as …
        </option>
        {others.map((id) => (
          <option key={id} value={id}>
            {whoIs(state, id).name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Who may write a document: its owner, or everyone. The human gives it to somebody else here. */
import { lead } from "../../core/run/lead.ts";
import type { State } from "../../core/state.ts";
import type { Document } from "../../schema/document.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";

interface Given {
  agent: string;
  state: State;
  document: Document | undefined;
  /** Why nothing can be changed; missing: it can. */
  fixed: string | undefined;
}

export function Owner({ agent, state, document, fixed }: Given) {
  const client = useClient();
  const { attempt, say } = useToasts();
  if (!document) return null;
  const { owner } = document;
  const others = lead(state) && owner !== lead(state)?.id ? ", the coordinator" : "";
  const words =
    owner === undefined
      ? "Everyone in the run can write it"
      : owner === "human"
        ? `Only you${others.replace(",", " and")} can write it`
        : `Only ${whoIs(state, owner).name}${others} and you can write it`;
  const give = async (to: string) => {
    const body = { owner: to || null };
    if (!(await attempt(client.changeDocument({ params: { agent, document: document.name }, body })))) return;
    say({
      look: "done",
      text: to
        ? `${whoIs(state, to).name} now own${to === "human" ? "" : "s"} ${document.name}.`
        : "Everyone can write it now.",
    });
  };
  const people = [...state.participants.values()].filter(
    (one) => one.id === owner || one.kind === "human" || !one.retired,
  );
  return (
    <span className="doc-o" title={words}>
      {owner === undefined ? <Icon name="users" size={14} /> : <Avatar who={whoIs(state, owner)} size={16} />}
      {fixed === undefined ? (
        <select
          className="pick-one flat"
          aria-label={`Owner: ${words}`}
          value={owner ?? ""}
          onChange={({ target }) => void give(target.value)}
        >
          <option value="">Shared by everyone</option>
          {people.map(({ id }) => (
            <option key={id} value={id}>
              Owned by {id === "human" ? "you" : whoIs(state, id).name}
            </option>
          ))}
        </select>
      ) : (
        <span>{owner === undefined ? "Shared by everyone" : `Owned by ${whoIs(state, owner).name}`}</span>
      )}
    </span>
  );
}

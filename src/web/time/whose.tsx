/** Selects whose thread to show: everyone who had joined by then, and the channel. */
import type { State } from "../../core/state.ts";
import { whoIs } from "../parts/status/avatar.tsx";
import { mainThread } from "../store/main-thread.ts";

export function Whose({ state, of, choose }: { state: State; of: string; choose(of: string): void }) {
  const people = [...state.participants.values()].flatMap(({ id, kind }) => (kind === "human" ? [] : [id]));
  const all = new Set([mainThread(state), ...people, "channel", of]);
  return (
    <select
      className="pick-one flat"
      aria-label="Whose thread"
      value={of}
      onChange={({ target }) => choose(target.value)}
    >
      {[...all].map((id) => (
        <option key={id} value={id}>
          {id === "channel" ? "Channel" : id === "coordinator" ? "Coordinator" : whoIs(state, id).name}
        </option>
      ))}
    </select>
  );
}

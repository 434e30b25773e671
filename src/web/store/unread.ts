/** What the human has not read of a thread: messages after their read mark, and open questions. */
import type { State } from "../../core/state.ts";

export function unreadFrom(state: State, id: string): { count: number; asks: boolean } {
  const mark = state.participants.get("human")?.read ?? 0;
  const words = state.channel.filter(({ from, to, seq }) => from === id && to.includes("human") && seq > mark).length;
  const asks = [...state.questions.values()].filter(({ by, status }) => by === id && status === "open").length;
  return { count: words + asks, asks: asks > 0 };
}

/** An agent as a view sees it, wherever it runs: in this process or in the daemon. */
import { freezeState, type State, thawState } from "../core/state.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Event } from "../schema/event.ts";

/** Words of an answer as they come. */
export interface Heard {
  type: "text" | "thought";
  text: string;
  turn: string;
  participant: string;
}

export interface Watched {
  /** As it is now, for whoever does not fold it from its first event. */
  state(): Promise<State>;
  /** The durable events after a seq, each once, without end. */
  follow(after: number, signal: AbortSignal): AsyncIterable<Event[]>;
  /** Returns a function that ends it. */
  listen(hear: (heard: Heard) => void): () => void;
  /** What the human says; for whom, its first words tell. */
  post(text: string): Promise<unknown>;
  answer(question: string, text: string): Promise<unknown>;
  pause(): Promise<unknown>;
  stop(): Promise<unknown>;
}

export function inThisProcess(runtime: Runtime, agent: string): Watched {
  const human = { actor: "human" };
  return {
    state: () => runtime.read(agent, (state) => thawState(freezeState(state))),
    follow: (after, signal) => runtime.follow(agent, after, signal),
    listen: (hear) => runtime.watch({ delta: (from, delta) => from === agent && hear(delta) }),
    post: (text) => runtime.send(agent, { type: "message.post", text }, human),
    answer: (question, answer) => runtime.send(agent, { type: "question.answer", question, answer }, human),
    pause: () => runtime.send(agent, { type: "agent.pause", reason: asked }, human),
    stop: () => runtime.send(agent, { type: "agent.stop" }, human),
  };
}

const asked = { code: "human", message: "paused from the terminal", next_mover: "human" };

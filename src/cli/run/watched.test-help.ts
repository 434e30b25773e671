/** An agent of a runtime in virtual time, for a view: without routes, whose streams keep real time. */
import { freezeState, thawState } from "../../core/state.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Watched } from "./watched.ts";

export function watchedIn(runtime: Runtime, agent: string): Watched {
  const human = { actor: "human" };
  return {
    state: () => runtime.read(agent, (state) => thawState(freezeState(state))),
    follow: (after, signal) => runtime.follow(agent, after, signal),
    listen: (hear) => runtime.watch({ delta: (from, delta) => from === agent && hear(delta) }),
    post: (text) => runtime.send(agent, { type: "message.post", text }, human),
    answer: (question, answer) => runtime.send(agent, { type: "question.answer", question, answer }, human),
    pause: () => runtime.send(agent, { type: "agent.pause" }, human),
    stop: () => runtime.send(agent, { type: "agent.stop" }, human),
  };
}

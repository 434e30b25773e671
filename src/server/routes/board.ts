/** The board over HTTP. */
import type { boardRoutes } from "../../api/board.ts";
import { boardOf, costOf, headlineOf, messagesAbout } from "../../api/board-view.ts";
import { requireSuggestion } from "../../core/board/suggestion.ts";
import { inWords } from "../../core/board/why.ts";
import { findNode } from "../../core/lookup.ts";
import type { Reading } from "../../runtime/queries.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { Problem } from "../../schema/problem.ts";
import { byHuman, type Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { textOf } from "../media.ts";
import { assertKnown } from "./agents.ts";
import { shortTurns } from "./short-turns.ts";

export const boardHandlers = ({ runtime }: Served): Handlers<typeof boardRoutes> => ({
  async decideSuggestion({ params: { agent, suggestion }, body: { decision, reason }, key }) {
    assertKnown(runtime, agent);
    if (reason !== undefined && decision === "add") throw new Problem("invalid", "reason is only allowed with dismiss");
    const asked = await runtime.read(agent, (state) => {
      // A decided suggestion is passed on to the core, which knows whether this is the same request again.
      const { text, by } = state.suggestions.get(suggestion) ?? requireSuggestion(state, suggestion);
      const one = state.participants.get(by);
      return { task: text, ...(one && "retired" in one && !one.retired && by !== "coordinator" ? { worker: by } : {}) };
    });
    await runtime.send(
      agent,
      decision === "add"
        ? { type: "node.create", suggestion, ...asked }
        : { type: "suggestion.dismiss", suggestion, reason: reason ?? "not now" },
      byHuman(key),
    );
    return await runtime.read(agent, ({ suggestions }) => suggestions.get(suggestion)!);
  },
  async getBoard({ params: { agent } }) {
    assertKnown(runtime, agent);
    return await runtime.read(agent, boardOf);
  },
  async getNode({ params: { agent, node: given } }) {
    const { node, run, first_seq, ...rest } = await find(runtime, agent, given);
    const reading = await runtime.reading(agent);
    const folder = `nodes/${node.id}`;
    const manifest = await textAt(reading, run, `${folder}/published/manifest.json`);
    return {
      node,
      ...rest,
      spec: await textAt(reading, run, `${folder}/_spec.md`),
      manifest: manifest === null ? null : asObject(manifest),
      turns: await shortTurns(reading.events(first_seq - 1), run, node.id),
      why: await said(reading, node.id),
    };
  },
  async getWhy({ params: { agent, node: given } }) {
    const { node } = await find(runtime, agent, given);
    return { node: node.id, ...(await said(await runtime.reading(agent), node.id)) };
  },
});

/** Throws `not_found`, listing the nodes on the board. */
async function find(runtime: Runtime, agent: string, given: string) {
  assertKnown(runtime, agent);
  return await runtime.read(agent, (state) => {
    const node = findNode(state, given);
    const { id: run, first_seq } = state.run!;
    const cost = costOf(state, `node:${node.id}`);
    return { node, run, first_seq, headline: headlineOf(node), cost, messages: messagesAbout(state, node) };
  });
}

async function said(reading: Reading, node: string) {
  const chain = await reading.why(node);
  return { chain, words: inWords(chain) };
}

/** Null if it does not exist or cannot be read. */
async function textAt(reading: Reading, run: string, path: string): Promise<string | null> {
  try {
    const found = await reading.files.look({ of: "workspace", run }, path);
    return found.kind === "file" ? textOf(found.content) : null;
  } catch (problem) {
    if (problem instanceof Problem && /^(not_found|path_escapes|too_large)$/.test(problem.code)) return null;
    throw problem;
  }
}

function asObject(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Names of participants: found by id or name regardless of case, unique in a run, never a reserved word. A new name must not be confusable with
 * another (homoglyphs): "Нuman" with a Cyrillic letter reads as the human. Names that are in a log stay valid.
 */

import { mixesAlphabets, skeleton } from "../../lib/text/lookalike.ts";
import type { ParticipantId } from "../../schema/ids.ts";
import { Problem } from "../../schema/problem.ts";
import type { Participant, Thinker, Worker } from "../../schema/worker.ts";
import { defaultLead } from "../run/lead.ts";
import type { State } from "../state.ts";

const reserved = new Set(["system", "all", "everyone", defaultLead.id, "human"]);
const reservedLooks = new Set([...reserved, "you", "agiraph"].map(skeleton));

/** Lower-case, plain letters, hyphens: safe as a folder name. Falls back to `x` when nothing readable is left. */
export function slug(text: string, longest = 40): string {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longest)
    .replace(/^-+|-+$/g, "");
  return plain || "x";
}

/** Case folding and Unicode normalisation. One direction is not enough: ß is SS, ς and σ are both Σ. */
export const foldCase = (text: string): string =>
  text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC").trim();

/** The participant with this id or name, if there is one. */
export function findParticipant(state: State, who: string): Participant | undefined {
  const exactly = state.participants.get(who);
  if (exactly) return exactly;
  const wanted = foldCase(who.replace(/^@/, ""));
  for (const one of state.participants.values()) if (one.id === wanted || foldCase(one.name) === wanted) return one;
  return undefined;
}

/** The participant with this id or name, or a Problem that lists all participants. */
export function requireParticipant(state: State, who: string): Participant {
  const found = findParticipant(state, who);
  if (found) return found;
  const names = [...state.participants.values()].map((one) => one.name).join(", ");
  throw new Problem(
    "not_found",
    `there is no participant ${JSON.stringify(who)}; participants: ${names || "none before a run starts"}`,
    { participant: who },
  );
}

export function requireWorker(state: State, who: string): Worker {
  const found = requireParticipant(state, who);
  if (found.kind === "harnessed" || found.kind === "autonomous") return found;
  throw new Problem("invalid", `${found.name} is the ${found.kind}, not a worker`);
}

/** A worker that does nodes; a guest (`ref`) has a loop of its own and does none. */
export function requireDoer(state: State, who: string): Worker {
  const worker = requireWorker(state, who);
  if (worker.ref === undefined) return worker;
  throw new Problem(
    "invalid",
    `${worker.name} is a guest, the agent ${worker.ref} itself, and does no nodes; write to it what is needed`,
  );
}

export function requireThinker(state: State, id: ParticipantId): Thinker {
  const found = requireParticipant(state, id);
  if (found.kind !== "human") return found;
  throw new Problem("invalid", "the human takes no turns");
}

function lookalike(state: State, looks: string): Participant | undefined {
  for (const one of state.participants.values()) if (looks && skeleton(one.name) === looks) return one;
  return undefined;
}

/** Why nobody may be called so: the name is reserved, misleading, or taken in any spelling. Undefined if it is free. */
export function nameProblem(state: State, name: string): Problem | undefined {
  const looks = skeleton(name);
  const plain = looks.replace(/[^\p{L}\p{M}\p{N}]+/gu, "");
  if (reserved.has(foldCase(name)) || reserved.has(slug(name)) || reservedLooks.has(plain))
    return new Problem("name_taken", `${name} is a reserved name, or looks like one`);
  if (name.split(/[^\p{L}\p{M}]+/u).some(mixesAlphabets))
    return new Problem("invalid", `${name} mixes letters of several alphabets in one word; use one alphabet`);
  const taken = findParticipant(state, name) ?? lookalike(state, looks);
  return (
    taken &&
    new Problem(
      "name_taken",
      `${name} collides with ${taken.name} (names are compared by appearance, ignoring case); choose another`,
    )
  );
}

/** A free id for a new name. Names whose ids would collide are numbered. */
export function newId(state: State, name: string): ParticipantId {
  const problem = nameProblem(state, name);
  if (problem) throw problem;
  const base = slug(name);
  let id = base;
  for (let n = 2; findParticipant(state, id); n++) id = `${base}-${n}`;
  return id;
}

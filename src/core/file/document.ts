/**
 * The run's shared documents.
 *
 * A document with an owner is written and removed by its owner, one without by everyone; the coordinator and the human always may. The owner is
 * changed by the owner, the coordinator or the human. Each write is the next version, and a writer that states the version it has read never
 * overwrites another one (optimistic concurrency). Names are unique regardless of case, because some disks cannot tell them apart.
 *
 * Its owner and who wrote it last are told of a change.
 *
 * Not here: the text. The caller has stored it as a blob before; the log holds its hash.
 */

import type { Document } from "../../schema/document.ts";
import { type Fact, typesOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { requireRun } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import { leads } from "../run/lead.ts";
import type { State } from "../state.ts";
import { foldCase, requireParticipant } from "../team/names.ts";

export const documentDecide: Deciders<"document.write" | "document.own" | "document.remove"> = {
  "document.write": (state, { document: name, sha256, size, owner: given, expected_version }, { actor }) => {
    requireRun(state);
    const document = state.documents.get(name);
    const twin = document ? undefined : sameName(state, name);
    if (twin)
      throw new Problem(
        "name_taken",
        `${name} differs from ${twin} only in case; write ${twin} or choose another name`,
      );
    if (document) assertWriter(state, document, actor, "write");
    const version = document?.version ?? 0;
    if (expected_version !== undefined && expected_version !== version) {
      throw new Problem(
        "stale",
        `${name} is at version ${version}${version ? "" : " (it does not exist)"}, not ${expected_version}; read it again and write with expected_version ${version}`,
        { document: name, version, expected_version },
      );
    }
    const owner = given === undefined ? document?.owner : requireParticipant(state, given).id;
    if (document && owner !== document.owner) assertGiver(state, document, actor);
    if (document?.sha256 === sha256 && document.owner === owner) return [];
    const told = concerned(state, actor, document?.owner, document?.by, owner);
    return [{ type: "document.written", data: { document: name, version: version + 1, sha256, size, owner, ...told } }];
  },

  "document.own": (state, { document: name, owner: given }, { actor }) => {
    requireRun(state);
    const document = requireDocument(state, name);
    assertGiver(state, document, actor);
    const owner = given === undefined ? undefined : requireParticipant(state, given).id;
    return document.owner === owner ? [] : [ownedBy(state, document, owner, actor)];
  },

  "document.remove": (state, { document: name }, { actor }) => {
    requireRun(state);
    assertWriter(state, requireDocument(state, name), actor, "remove");
    return [{ type: "document.removed", data: { document: name } }];
  },
};

const reduceDocuments: Reduce = (state, event) => {
  switch (event.type) {
    case "run.started":
      return state.documents.clear();
    case "document.written": {
      const { document: name, told: _, ...given } = event.data;
      state.documents.set(name, { ...given, name, by: event.actor, at: event.ts });
      return;
    }
    case "document.owned": {
      const document = state.documents.get(event.data.document);
      if (document) state.documents.set(document.name, { ...document, owner: event.data.owner });
      return;
    }
    case "document.removed":
      state.documents.delete(event.data.document);
  }
};

/** The document changes hands; the old and the new owner are told. */
export const ownedBy = (
  state: State,
  { name, owner: before }: Document,
  owner: string | undefined,
  actor: string,
): Fact => ({ type: "document.owned", data: { document: name, owner, ...concerned(state, actor, before, owner) } });

/** Of these, who is told of a change: people see it on the page, and nobody is told of what they did themselves. */
function concerned({ participants }: State, actor: string, ...ids: (string | undefined)[]): { told?: string[] } {
  const told = [...new Set(ids)].filter(
    (id): id is string => id !== undefined && id !== actor && id !== "human" && participants.has(id),
  );
  return told.length ? { told } : {};
}

const inCharge = (state: State, actor: string): boolean => leads(state, actor) || actor === "human";

function assertWriter(state: State, { name, owner }: Document, actor: string, what: string): void {
  if (owner === undefined || owner === actor || inCharge(state, actor)) return;
  throw new Problem(
    "forbidden",
    `${name} belongs to ${owner}; only ${owner}, the coordinator or the human can ${what} it, not ${actor}`,
  );
}

function assertGiver(state: State, { name, owner }: Document, actor: string): void {
  if (owner === actor || inCharge(state, actor)) return;
  const who = owner === undefined ? "it has no owner, so only" : `it belongs to ${owner}; only ${owner},`;
  throw new Problem(
    "forbidden",
    `${actor} cannot change the owner of ${name}: ${who} the coordinator or the human can`,
  );
}

const sameName = (state: State, name: string): string | undefined =>
  [...state.documents.keys()].find((other) => foldCase(other) === foldCase(name));

function requireDocument(state: State, name: string): Document {
  const document = state.documents.get(name);
  if (document) return document;
  throw new Problem(
    "not_found",
    `there is no document ${name}; documents: ${[...state.documents.keys()].join(", ") || "none"}`,
  );
}

export const document = defineBehaviour({
  decide: documentDecide,
  reduce: [{ phase: "own", looksAt: [...typesOf("document"), "run.started"], reduce: reduceDocuments }],
});

/** What the log knows about files that people may edit: the hash last written or last seen. */
import { Problem } from "../../schema/problem.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import { requireThinker } from "../team/names.ts";

const fileDecide: Deciders<"log.repair" | "log.close" | "file.write" | "file.edit" | "memory.record" | "memory.ask"> = {
  "log.repair": (_state, { bytes, kept_as }) => [{ type: "log.repaired", data: { bytes, kept_as } }],
  "log.close": () => [{ type: "log.closed", data: {} }],
  "file.write": (state, { path, sha256 }) => {
    assertInside(path);
    return state.files.get(path) === sha256 ? [] : [{ type: "file.written", data: { path, sha256 } }];
  },
  "file.edit": (state, { path, sha256 }) => {
    assertInside(path);
    return (state.files.get(path) ?? null) === sha256 ? [] : [{ type: "file.edited", data: { path, sha256 } }];
  },
  "memory.record": (state, { type: _, ...data }) => [
    { type: "memory.written", data: { ...data, participant: requireThinker(state, data.participant).id } },
  ],
  "memory.ask": (_state, { type: _, ...data }) => [{ type: "memory.asked", data }],
};

/** These paths are read from disk again and again: none may lead outside (path traversal). */
function assertInside(path: string): void {
  const steps = path.split("/");
  if (!/[\\\0]/.test(path) && !steps.some((step) => step === "" || step === "." || step === "..")) return;
  throw new Problem("path_escapes", `${JSON.stringify(path)} leaves the agent's home; use a relative path without ..`);
}

const reduceFiles: Reduce = (state, event) => {
  if (event.type === "document.written")
    state.files.set(documentPath(event.run, event.data.document), event.data.sha256);
  if (event.type === "document.removed") state.files.delete(documentPath(event.run, event.data.document));
  if (event.type !== "file.written" && event.type !== "file.edited") return;
  const { path, sha256 } = event.data;
  if (sha256 === null) state.files.delete(path);
  else state.files.set(path, sha256);
};

export const documentPath = (run: string | undefined, document: string): string => `runs/${run}/documents/${document}`;

export const file = defineBehaviour({
  decide: fileDecide,
  reduce: [
    {
      phase: "own",
      looksAt: ["document.written", "document.removed", "file.written", "file.edited"],
      reduce: reduceFiles,
    },
  ],
  silent: ["log.repaired"],
});

/** What the log knows about files that people may edit by hand: the hash last written or last seen. */
import type { Deciders, Reduce } from "./noun.ts";

export const fileDecide: Deciders<"log.repair" | "log.close" | "file.write" | "file.edit"> = {
  "log.repair": (_state, { bytes, kept_as }) => [{ type: "log.repaired", data: { bytes, kept_as } }],
  "log.close": () => [{ type: "log.closed", data: {} }],
  "file.write": (state, { path, sha256 }) =>
    state.files.get(path) === sha256 ? [] : [{ type: "file.written", data: { path, sha256 } }],
  "file.edit": (state, { path, sha256 }) =>
    (state.files.get(path) ?? null) === sha256 ? [] : [{ type: "file.edited", data: { path, sha256 } }],
};

export const reduceFiles: Reduce = (state, event) => {
  if (event.type === "document.written")
    state.files.set(documentPath(event.run, event.data.document), event.data.sha256);
  if (event.type === "document.removed") state.files.delete(documentPath(event.run, event.data.document));
  if (event.type !== "file.written" && event.type !== "file.edited") return;
  const { path, sha256 } = event.data;
  if (sha256 === null) state.files.delete(path);
  else state.files.set(path, sha256);
};

export const documentPath = (run: string | undefined, document: string): string => `runs/${run}/documents/${document}`;

/** Temporary folders and stores that are removed after the test that made them. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createFilesStore, type FilesStoreOptions } from "./file-store.ts";
import type { Store } from "./store.ts";

export async function tempFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "agiraph-store-"));
  onTestFinished(async () => await rm(path, { recursive: true, force: true }));
  return path;
}

export function tempStore(options: FilesStoreOptions): Store {
  const store = createFilesStore(options);
  onTestFinished(async () => await store.close());
  return store;
}

/** The tools there are. A new one is a file and a line here; those that take options (createBash) are added by whoever has them. */
import { askHuman } from "./ask-human.ts";
import { createWorkNode } from "./create-work-node.ts";
import { editFile } from "./edit-file.ts";
import { finish } from "./finish.ts";
import { listFiles } from "./list-files.ts";
import { publish } from "./publish.ts";
import { readFile } from "./read-file.ts";
import { readRef } from "./read-ref.ts";
import { searchFiles } from "./search-files.ts";
import { sendMessage } from "./send-message.ts";
import { spawnWorker } from "./spawn-worker.ts";
import type { Tool } from "./tool.ts";
import { waitForNodes } from "./wait-for-nodes.ts";
import { writeFile } from "./write-file.ts";
import { writePlan } from "./write-plan.ts";

export const tools: readonly Tool[] = [
  createWorkNode,
  waitForNodes,
  spawnWorker,
  sendMessage,
  askHuman,
  writePlan,
  readFile,
  writeFile,
  editFile,
  listFiles,
  searchFiles,
  readRef,
  publish,
  finish,
];

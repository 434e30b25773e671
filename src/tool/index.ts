/** The tools there are. A new one is a file and a line here. */
import { askHuman } from "./ask-human.ts";
import { createWorkNode } from "./create-work-node.ts";
import { finish } from "./finish.ts";
import { memoryRead } from "./memory-read.ts";
import { memorySearch } from "./memory-search.ts";
import { memoryWrite } from "./memory-write.ts";
import { publish } from "./publish.ts";
import { sendMessage } from "./send-message.ts";
import { spawnWorker } from "./spawn-worker.ts";
import { todo } from "./todo.ts";
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
  writeFile,
  memoryWrite,
  memoryRead,
  memorySearch,
  todo,
  publish,
  finish,
];

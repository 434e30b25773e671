/** The list of tools. A new one is a file and a line here; those that take options (createBash) are added by the caller that has them. */

import { usableInTeam } from "../toolkit/in-team.ts";
import type { Tool } from "../toolkit/tool.ts";
import { askAbout } from "./ask-about.ts";
import { askHuman } from "./ask-human.ts";
import { assignWorker } from "./assign-worker.ts";
import { cancelNode } from "./cancel-node.ts";
import { cancelTrigger } from "./cancel-trigger.ts";
import { channelRead } from "./channel-read.ts";
import { checkBoard } from "./check-board.ts";
import { checkMessages } from "./check-messages.ts";
import { checkpoint } from "./checkpoint.ts";
import { conversationSearch } from "./conversation-search.ts";
import { createWorkNode } from "./create-work-node.ts";
import { decline } from "./decline.ts";
import { dismissSuggestion } from "./dismiss-suggestion.ts";
import { documentAppend } from "./document-append.ts";
import { documentList } from "./document-list.ts";
import { documentOwn } from "./document-own.ts";
import { documentRead } from "./document-read.ts";
import { documentWrite } from "./document-write.ts";
import { editFile } from "./edit-file.ts";
import { findTools } from "./find-tools.ts";
import { finish } from "./finish.ts";
import { listFiles } from "./list-files.ts";
import { listTriggers } from "./list-triggers.ts";
import { memoryProposals } from "./memory-proposals.ts";
import { memoryRead } from "./memory-read.ts";
import { memorySearch } from "./memory-search.ts";
import { memoryWrite } from "./memory-write.ts";
import { merge } from "./merge.ts";
import { proposalCreate } from "./proposal-create.ts";
import { proposalDelegate } from "./proposal-delegate.ts";
import { proposalList } from "./proposal-list.ts";
import { proposalWithdraw } from "./proposal-withdraw.ts";
import { publish } from "./publish.ts";
import { readFile } from "./read-file.ts";
import { readRef } from "./read-ref.ts";
import { reconvene } from "./reconvene.ts";
import { resourceCreate } from "./resource-create.ts";
import { resourceRead } from "./resource-read.ts";
import { retireWorker } from "./retire-worker.ts";
import { schedule } from "./schedule.ts";
import { searchFiles } from "./search-files.ts";
import { sendMessage } from "./send-message.ts";
import { spawnWorker } from "./spawn-worker.ts";
import { suggestNext } from "./suggest-next.ts";
import { todo } from "./todo.ts";
import { useTool } from "./use-tool.ts";
import { vote } from "./vote.ts";
import { waitForNodes } from "./wait-for-nodes.ts";
import { writeFile } from "./write-file.ts";
import { writePlan } from "./write-plan.ts";

export const tools: readonly Tool[] = [
  createWorkNode,
  waitForNodes,
  spawnWorker,
  assignWorker,
  retireWorker,
  cancelNode,
  checkBoard,
  reconvene,
  merge,
  sendMessage,
  checkMessages,
  usableInTeam(channelRead),
  conversationSearch,
  suggestNext,
  dismissSuggestion,
  askHuman,
  schedule,
  listTriggers,
  cancelTrigger,
  usableInTeam(documentList),
  usableInTeam(documentRead),
  usableInTeam(documentWrite),
  usableInTeam(documentAppend),
  usableInTeam(documentOwn),
  usableInTeam(proposalCreate),
  vote,
  usableInTeam(proposalDelegate),
  usableInTeam(proposalList),
  usableInTeam(proposalWithdraw),
  resourceCreate,
  usableInTeam(resourceRead),
  writePlan,
  usableInTeam(readFile),
  writeFile,
  checkpoint,
  decline,
  editFile,
  usableInTeam(listFiles),
  searchFiles,
  readRef,
  memoryWrite,
  memoryRead,
  memorySearch,
  memoryProposals,
  askAbout,
  todo,
  publish,
  finish,
  findTools,
  useTool,
];

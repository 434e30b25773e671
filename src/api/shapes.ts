/** Shapes that many routes answer with, by the name they have in the OpenAPI document. Those that are not here stand where they are used. */
import { Reason } from "../schema/agent.ts";
import { Amount, BudgetLimit, Used } from "../schema/budget.ts";
import { Document } from "../schema/document.ts";
import { Message } from "../schema/message.ts";
import { Node, Wait } from "../schema/node.ts";
import { Proposal } from "../schema/proposal.ts";
import { Resource } from "../schema/resource.ts";
import { Schedule } from "../schema/schedule.ts";
import { Stage } from "../schema/stage.ts";
import { Suggestion } from "../schema/suggestion.ts";
import { Action, Trigger } from "../schema/trigger.ts";
import { Line } from "../schema/worker.ts";
import { Summary } from "./agents.ts";
import { Board, BoardNode, Link, ShortTurn, WholeNode, Why } from "./board.ts";
import { SaidItem } from "./conversation.ts";
import { Cost } from "./cost.ts";
import { WireError } from "./errors.ts";
import { FileOrFolder } from "./files.ts";
import { Worker } from "./workers.ts";

export const shapes = {
  Action,
  Amount,
  Board,
  BoardNode,
  BudgetLimit,
  Cost,
  Document,
  Error: WireError,
  FileOrFolder,
  Line,
  Link,
  Message,
  Node,
  Proposal,
  Reason,
  Resource,
  SaidItem,
  Schedule,
  ShortTurn,
  Stage,
  Suggestion,
  Summary,
  Trigger,
  Used,
  Wait,
  WholeNode,
  Why,
  Worker,
};

/** The files that the log calls for while an agent works: the spec of each node, and the documents of the run. What fails is told, not thrown. */
import { documentPath } from "../../core/file/file.ts";
import { specOf } from "../../guard/texts.ts";
import type { Event } from "../../schema/event.ts";
import type { Node } from "../../schema/node.ts";
import { Problem } from "../../schema/problem.ts";
import type { Live } from "../live.ts";
import type { Edits } from "./edits.ts";

export interface AgentFiles {
  /** What these durable events call for. */
  told(events: readonly Event[]): void;
  /** Specs that a crash kept from being written. */
  writeMissing(): void;
}

export interface AgentFilesOptions {
  live: Live;
  edits: Edits;
  isOpen(): boolean;
  track(job: Promise<void>): void;
  notice(problem: Problem): void;
}

type Spec = Pick<Node, "id" | "name" | "task" | "acceptance" | "checks">;

export function createAgentFiles({ live, edits, isOpen, track, notice }: AgentFilesOptions): AgentFiles {
  async function write(what: string, job: Promise<unknown>): Promise<void> {
    try {
      await job;
    } catch (error) {
      if (isOpen()) notice(new Problem("storage_failed", `${what} could not be written: ${String(error)}`));
    }
  }

  /** A spec belongs to people too: written once, then theirs to edit. */
  const writeSpec = (run: string, node: Spec): Promise<void> =>
    write(`the spec of ${node.id}`, edits.write(specPath(run, node.id), specOf(node), { unless: "there" }));

  const writeDocument = (run: string, name: string): Promise<void> =>
    write(name, edits.follow(documentPath(run, name)));

  return {
    told(events) {
      for (const { type, run, data } of events)
        if (type === "node.created") track(writeSpec(run!, { ...data, id: data.node }));
        else if (type === "document.written" || type === "document.removed") track(writeDocument(run!, data.document));
    },
    writeMissing() {
      const { agent, run, nodes, files } = live.state();
      if (!agent || agent.status === "archived") return;
      for (const node of nodes.values()) if (!files.has(specPath(run!.id, node.id))) track(writeSpec(run!.id, node));
    },
  };
}

const specPath = (run: string, node: string): string => `runs/${run}/nodes/${node}/_spec.md`;

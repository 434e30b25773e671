/** What a thread is made of: an item is one thing that people read (thread.ts makes them of events). */
import type { Event } from "../../schema/event.ts";
import type { Evidence } from "../../schema/evidence.ts";
import type { Published } from "../../schema/node.ts";
import type { Question } from "../../schema/question.ts";
import type { Attachment } from "../../schema/resource.ts";
import type { Outcome } from "../../schema/turn.ts";
import type { Vote } from "../decisions/votes.ts";
import type { Trouble } from "./trouble.ts";

export interface Base {
  key: string;
  at: string;
  /** Of the last event that changed it. */
  rev: number;
  seq: number;
}

export interface Call {
  id: string;
  tool: string;
  input: unknown;
  status: "asked" | "running" | Outcome;
  result?: string;
  began?: string;
  ended?: string;
}

export type AskedQuestion = Omit<Question, "status"> & {
  status: Question["status"];
  answer?: string;
  answered_by?: string;
  ended_at?: string;
  /** Nobody waits for the answer any more. */
  over?: string;
};

export type Said = Base & {
  kind: "said";
  from: string;
  to: string[];
  text: string;
  resource?: string;
  attached?: Attachment[];
};
export type Worked = Base & { kind: "turn"; by: string; text: string; calls: Call[]; turn: string };
export type Item =
  | Said
  | Worked
  | (Base & { kind: "day" })
  | (Base & { kind: "new" })
  | (Base & { kind: "asked"; by: string; question: AskedQuestion })
  | (Base & { kind: "vote"; by: string; vote: Vote })
  | (Base & {
      kind: "published";
      by: string;
      node: string;
      summary: string;
      files: Published[];
      partial: boolean;
      run: string;
      evidence: Evidence;
    })
  | (Base & { kind: "answer"; by: string; run: string; text: string; evidence: Evidence; claimed: string[] })
  | (Base & { kind: "trouble"; trouble: Trouble })
  | (Base & { kind: "note"; icon: string; text: string; failed?: boolean });

export const base = ({ seq, ts }: Event, key: string): Base => ({ key, at: ts, rev: seq, seq });

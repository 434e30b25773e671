/** Asking what another agent knows: its guard answers from the notes that it keeps for others. Implemented in runtime/memory/consult.ts. */
export interface ConsultWish {
  /** Who asks. */
  participant: string;
  /** Workers are told what is public only. */
  isWorker: boolean;
  question: string;
}

export interface ConsultAnswer {
  /** The best first; empty: there is nothing for the one who asks. */
  notes: { path: string; text: string; noted?: string; source?: string; outside?: boolean }[];
}

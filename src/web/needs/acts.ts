/** What can be done about what waits. Each is said when it is done; what the daemon cannot take back says so by its words. */
import { whoIs } from "../parts/avatar.tsx";
import { clock, plural } from "../parts/words.ts";
import { now } from "../platform.ts";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import type { Need } from "./queue.ts";
import { snooze } from "./snooze.ts";

type Approval = Extract<Need, { kind: "approval" }>;
type Asked = Extract<Need, { kind: "question" }>;

/** A new limit, of what and in what. */
export interface Limit {
  of: "agent" | "run" | "day";
  unit: "usd" | "tokens" | "turns" | "seconds";
  amount: number;
  words: string;
}

export interface Acts {
  answer(need: Asked, response: string): Promise<boolean>;
  decide(need: Approval, decision: "allow" | "deny", more: { reason?: string; remember?: boolean }): Promise<boolean>;
  allowAll(needs: readonly Approval[]): Promise<void>;
  putOff(need: Need, ms: number): void;
  goOn(agent: string, limit?: Limit): Promise<boolean>;
}

export function useActs(): Acts {
  const client = useClient();
  const { say, attempt } = useToasts();
  return {
    async answer({ agent, state, question }, response) {
      const done = await attempt(client.respond({ params: { agent }, body: { response, question_id: question.id } }));
      if (done) say({ look: "done", text: `Answered. ${whoIs(state, question.by).name} goes on.` });
      return done !== undefined;
    },
    async decide({ agent, question }, decision, { reason, remember }) {
      const body = { decision, ...(reason ? { reason } : {}), ...(remember ? { remember } : {}) };
      const done = await attempt(client.decideApproval({ params: { agent, approval: question.id }, body }));
      const tool = question.approves?.tool ?? "the call";
      if (done) say({ look: "done", text: decision === "allow" ? `Allowed ${tool}.` : `Denied ${tool}.` });
      return done !== undefined;
    },
    async allowAll(needs) {
      let allowed = 0;
      for (const { agent, question } of needs) {
        const params = { agent, approval: question.id };
        if (await attempt(client.decideApproval({ params, body: { decision: "allow" } }))) allowed++;
      }
      if (allowed) say({ look: "done", text: `Allowed ${plural(allowed, "call")}.` });
    },
    putOff(need, ms) {
      const until = now() + ms;
      snooze(need.key, until);
      const action = { word: "Undo", act: () => snooze(need.key, 0) };
      say({ look: "done", text: `Snoozed until ${clock(new Date(until).toISOString())}.`, action });
    },
    async goOn(agent, limit) {
      if (limit) {
        const body = { [limit.unit]: limit.amount, of: limit.of };
        if (!(await attempt(client.changeBudget({ params: { agent }, body })))) return false;
      }
      const done = await attempt(client.resumeAgent({ params: { agent }, body: {} }));
      if (done) say({ look: "done", text: `${agent} goes on${limit ? `, up to ${limit.words}` : ""}.` });
      return done !== undefined;
    },
  };
}

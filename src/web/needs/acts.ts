/** Actions on what needs the human. Answers can be undone for a few seconds (store/held.ts); other actions are confirmed by a toast. */

import { hostWords } from "../parts/question/host-asked.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { clock } from "../parts/text/words.ts";
import { now } from "../platform.ts";
import { useToasts } from "../shell/toasts.tsx";
import { useAnswers, useClient } from "../store/hooks.ts";
import type { Limit } from "./limit.ts";
import type { Need } from "./queue.ts";
import { snooze } from "./snooze.ts";

type Approval = Extract<Need, { kind: "approval" }>;
type Asked = Extract<Need, { kind: "question" | "host" }>;

export interface Acts {
  answer(need: Asked, response: string): void;
  decide(need: Approval, decision: "allow" | "deny", more: { reason?: string; remember?: boolean }): void;
  allowAll(needs: readonly Approval[]): void;
  putOff(need: Need, ms: number): void;
  goOn(agent: string, limit?: Limit): Promise<boolean>;
}

const heard = ({ agent, state, question, title }: Approval, decision: "allow" | "deny") => ({
  agent,
  question,
  who: whoIs(state, question.by).name,
  words: `${decision === "allow" ? "Allowed" : "Denied"}: ${title}`,
});

export function useActs(): Acts {
  const client = useClient();
  const answers = useAnswers();
  const { say, attempt } = useToasts();
  return {
    answer({ agent, state, question }, response) {
      const who = whoIs(state, question.by).name;
      const words = question.host ? hostWords(response, question.host.host) : response;
      answers.hold([{ agent, question, who, words, said: { response } }]);
    },
    decide(need, decision, { reason, remember }) {
      const said = { decision, ...(reason ? { reason } : {}), ...(remember ? { remember } : {}) };
      answers.hold([{ ...heard(need, decision), said }]);
    },
    allowAll(needs) {
      answers.hold(needs.map((need) => ({ ...heard(need, "allow"), said: { decision: "allow" } })));
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
      if (done) say({ look: "done", text: `${agent} resumed${limit ? `, up to ${limit.words}` : ""}.` });
      return done !== undefined;
    },
  };
}

/** Questions, approvals and the human's inbox over HTTP. */
import type { askingRoutes, InboxItem } from "../../api/asking.ts";
import { approvalOf, approvalsOf } from "../../api/lines.ts";
import type { Way } from "../../api/through.ts";
import { answerable } from "../../core/human/question.ts";
import { Problem } from "../../schema/problem.ts";
import { byHuman, type Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertKnown } from "./agents.ts";
import { pageOf } from "./page-cursor.ts";
import { eventAt } from "./talk.ts";

type Needs = Pick<Served, "runtime" | "policy" | "summaries" | "approvals">;

export const askingHandlers = ({
  runtime,
  policy = [],
  summaries,
  approvals,
}: Needs): Handlers<typeof askingRoutes> => {
  /** The question that a program answers. Throws if it may not answer it. */
  const answerableBy = async (through: Way | undefined, agent: string, question: string | undefined) =>
    through &&
    (await runtime.read(agent, (state) => answerable(state, question, through, approvals?.[through] === true)?.id));

  return {
    async inbox({ query: { agent: wanted, questions, ...query } }) {
      if (wanted !== undefined) assertKnown(runtime, wanted);
      const found: InboxItem[] = [];
      for (const agent of wanted === undefined ? runtime.agents() : [wanted])
        found.push(...(await summaries.inbox(agent).catch(() => [])));
      const items = questions ? found.filter(({ kind }) => kind === "question" || kind === "approval") : found;
      const ranked = items.sort(byNeed).map((item) => ({ id: `${item.agent} ${item.id}`, item }));
      const page = pageOf("inbox", ranked, query);
      return { items: page.items.map(({ item }) => item), next: page.next };
    },
    async listQuestions({ params: { agent }, query: { status, ...paging } }) {
      assertKnown(runtime, agent);
      const all = await runtime.read(agent, ({ questions }) => [...questions.values()]);
      return pageOf("questions", all.filter(is(status)), paging);
    },
    async respond({ params: { agent }, body: { response: answer, question_id: wanted, remember }, key, through }) {
      assertKnown(runtime, agent);
      const allowed = await answerableBy(through, agent, wanted);
      // The one that was checked: another may be open by now.
      const question = wanted ?? allowed;
      const which = {
        ...(question === undefined ? {} : { question }),
        ...(remember === undefined ? {} : { remember }),
      };
      const { seq } = await runtime.send(agent, { type: "question.answer", answer, ...which }, byHuman(key));
      const event = await eventAt(runtime, agent, seq);
      if (event.type !== "question.answered") throw new Error(`${agent}/${seq} is ${event.type}, not an answer`);
      return { question: event.data.question, answer: event.data.answer, seq };
    },
    async listApprovals({ params: { agent }, query: { status, ...paging } }) {
      assertKnown(runtime, agent);
      return pageOf("approvals", (await runtime.read(agent, approvalsOf)).filter(is(status)), paging);
    },
    async decideApproval({ params: { agent, approval }, body: { decision, reason, remember }, key, through }) {
      assertKnown(runtime, agent);
      await answerableBy(through, agent, approval);
      const asked = await runtime.read(agent, ({ questions }) => questions.get(approval));
      if (!asked?.approves) {
        const what = asked
          ? `${approval} is a question, not an approval; answer it with respond`
          : `there is no approval ${approval}`;
        const open = (await runtime.read(agent, approvalsOf)).filter(is("open")).map(({ id }) => id);
        throw new Problem("not_found", `${what}; open approvals: ${open.join(", ") || "none"}`, { open });
      }
      if (reason !== undefined && decision === "allow")
        throw new Problem("invalid", "reason is only allowed with deny");
      const answer = reason === undefined ? decision : `deny: ${reason}`;
      const word = {
        type: "question.answer",
        question: approval,
        answer,
        ...(remember === undefined ? {} : { remember }),
      } as const;
      await runtime.send(agent, word, byHuman(key));
      return await runtime.read(agent, (state) => approvalOf(state, state.questions.get(approval) ?? asked));
    },
    async policy({ params: { agent } }) {
      assertKnown(runtime, agent);
      const decisions = (await runtime.read(agent, approvalsOf)).map((approval) => {
        const { id, by, tool, status, decision, reason, remember, asked_at, ended_at } = approval;
        const verdict =
          status === "open" ? "asked" : status === "expired" ? "expired" : decision === "allow" ? "allowed" : "denied";
        return {
          id,
          by,
          tool,
          verdict: verdict as "asked" | "allowed" | "denied" | "expired",
          at: ended_at ?? asked_at,
          ...(reason === undefined ? {} : { reason }),
          ...(remember ? { remember } : {}),
        };
      });
      return { rules: [...policy], decisions };
    },
  };
};

const is =
  (status: string | undefined) =>
  (one: { status: string }): boolean =>
    status === undefined || one.status === status;

/** Waiting items first, longest first; then unread ones, newest first. A stable order. */
function byNeed(a: InboxItem, b: InboxItem): number {
  if (a.waiting_since || b.waiting_since) {
    if (!a.waiting_since) return 1;
    if (!b.waiting_since) return -1;
    return order(a.waiting_since, b.waiting_since) || order(a.agent, b.agent) || order(a.id, b.id);
  }
  return order(b.at ?? "", a.at ?? "") || order(a.agent, b.agent) || order(a.id, b.id);
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

import { z } from "zod";
import { addressOf, agentIn } from "../core/message/address.ts";
import { longestMessage, recipients } from "../core/message/message.ts";
import { shorten } from "../lib/text/text.ts";
import { Priority } from "../schema/message.ts";
import { Problem } from "../schema/problem.ts";
import type { Thinker } from "../schema/worker.ts";
import { keepText } from "../toolkit/keep-text.ts";
import { defineTool, type ToolContext } from "../toolkit/tool.ts";

/** Of a longer message, which becomes a resource. */
const shown = 300;

export const sendMessage = defineTool({
  name: "send_message",
  about:
    "Say something to participants by name, to everyone with *, or to another agent with agent:NAME. Does not wait for an answer.",
  guidance:
    "Only what the other needs and can act on and no file says. Lead with the point, name files instead of copying them. " +
    "To the coordinator when the plan should change, when you are blocked or disagree; to Human for news. No thanks, no confirmations. " +
    "Another agent (agent:NAME) has its own human, goal and memory: write so that it needs nothing else, and answer it this way.",
  effect: "state",
  repeatable: true,
  offer: {
    always: "worker",
    when: ["team", "agents"],
    words: "tell, write to, another agent, mail, contact, notify, inform",
  },
  progress: "none",
  input: z.object({
    to: z.string().min(1).describe("Ids or names with commas, * for everyone, or agent:NAME"),
    content: z.string().min(1),
    priority: Priority.optional(),
  }),
  toward: ({ to }) => to.split(",").flatMap((name) => (agentIn(name) === undefined ? [] : addressOf(agentIn(name)!))),
  async run({ to, content, priority }, context) {
    const { me, state, dispatch } = context;
    const all = recipients(state(), me, to);
    for (const agent of all.flatMap((one) => agentIn(one) ?? []))
      if (!(await context.hasAgent(agent))) throw new Problem("not_found", `there is no agent ${agent} in this home`);
    const isNew = all.length === 1 && !wroteBefore(context, all[0]!);
    const unseen = meanwhile(context, all);
    const long = content.length > longestMessage ? await asResource(context, content) : { text: content };
    const { made } = await dispatch({
      type: "message.post",
      from: me,
      to: all,
      ...long,
      ...(priority ? { priority } : {}),
    });
    const names = all.map((id) => nameOf(context, id));
    const receiver = /^\s*@?(\*|all|everyone)\s*$/i.test(to) ? "everyone" : names.join(", ");
    return { text: `Sent as ${made.message} to ${receiver}.${unseen}`, progress: isNew ? "words" : "none" };
  },
});

/** What the recipients wrote to the caller since its turn began: it wrote without knowing that. It also comes with the next turn. */
function meanwhile(context: ToolContext, from: readonly string[]): string {
  const { state, me } = context;
  const one = state().participants.get(me) as Thinker;
  const seen = Math.max(one.read, one.turn?.upto ?? 0);
  const unseen = one.unread.filter(
    (entry) => entry.seq > seen && entry.kind === "message" && from.includes(entry.from),
  );
  return unseen
    .slice(-3)
    .map((entry) => `\n${nameOf(context, entry.from)} wrote to you meanwhile: ${shorten(entry.text, shown)}`)
    .join("");
}

const nameOf = ({ state }: ToolContext, id: string): string => state().participants.get(id)?.name ?? id;

/** Since the caller got its node, or ever if it has none. */
function wroteBefore({ state, me, node }: ToolContext, to: string): boolean {
  const held = node ? state().nodes.get(node) : undefined;
  const since = held && "started_at" in held ? held.started_at : "";
  return state().channel.some((message) => message.from === me && message.to.includes(to) && message.at >= since);
}

async function asResource(context: ToolContext, content: string): Promise<{ text: string; resource: string }> {
  const resource = await keepText(context, { content, nth: 1 });
  const start = content.slice(0, shown).toWellFormed();
  return { text: `${start} …\n[${content.length} characters; the whole text is resource ${resource}]`, resource };
}

/**
 * Hosts that commands in a sandbox want to reach and the config does not allow. The human is asked once for each (a question like any other), and
 * the answer is the permission: for this command, for this run, or for good. Nothing else opens a host.
 *
 * Always holds: a host is opened only if the config or an answer of the human allows it, and the log says so before a byte passes. *No* holds for the
 * run. *This time* holds for the command that asked; if that has ended before the answer, for the asker's next one. A run that reached a host has
 * read what strangers wrote (taint.ts). Questions are bounded, open ones and those of a run.
 * Not here: what the config allows, and how a connection waits (runtime/network/host-gate.ts).
 */
import { type Fact, typesOf } from "../../schema/event.ts";
import { noHosts } from "../../schema/host.ts";
import { Problem } from "../../schema/problem.ts";
import type { Question } from "../../schema/question.ts";
import { isLive, requireRun } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import { isLead } from "../run/lead.ts";
import type { State } from "../state.ts";
import { requireThinker } from "../team/names.ts";
import { isTainted, sourcesSay } from "../turn/taint.ts";

const hostAnswers = ["this time", "this run", "always", "no"] as const;

/** How long a connection waits for an answer; so much of its node's time does not count. */
export const hostPatienceSeconds = 300;

interface Wish {
  participant: string;
  call: string;
  subject: string;
}

export type Permission =
  | { is: "given"; question: string }
  | { is: "refused"; why: string }
  | { is: "asked"; question: string }
  | { is: "unknown" };

/** What the human has said so far. */
export function permissionFor(state: State, { participant, call, subject }: Wish): Permission {
  for (const question of [...state.questions.values()].reverse()) {
    if (question.host?.subject !== subject) continue;
    const { id, status } = question;
    if (status === "open") return { is: "asked", question: id };
    if (status !== "answered") continue;
    const { answer } = question;
    if (answer.startsWith("no")) return { is: "refused", why: `the human said ${answer}` };
    if (answer !== "this time") return { is: "given", question: id };
    const used = state.hosts.used[id] ?? (question.by === participant ? call : question.host.call);
    if (used === call) return { is: "given", question: id };
  }
  return { is: "unknown" };
}

const hostDecide: Deciders<"host.ask" | "host.open" | "host.keep"> = {
  "host.ask": (state, { type: _, participant, ...wish }, { limits }) => {
    requireRun(state);
    const one = requireThinker(state, participant);
    if (permissionFor(state, { participant: one.id, ...wish }).is !== "unknown") return [];
    const before = [...state.questions.values()].filter(({ host }) => host);
    const open = before.filter(({ status }) => status === "open").length;
    if (open >= limits.host_questions)
      throw new Problem(
        "limit_reached",
        `the human was not asked about ${wish.host}: ${open} questions about hosts are waiting for an answer already`,
      );
    if (before.length >= limits.host_questions_per_run)
      throw new Problem(
        "limit_reached",
        `the human was not asked about ${wish.host}: they were asked about ${before.length} hosts in this run, the maximum`,
      );
    const node = one.node === undefined ? {} : { node: one.node };
    const host = { ...wish, ...node, ...(isTainted(state) ? { tainted: true } : {}) };
    const question = `q${state.questions.size + 1}`;
    const text = questionText(state, one.name, host);
    return [{ type: "question.asked", data: { question, by: one.id, text, options: [...hostAnswers], host } }];
  },
  "host.open": (state, { participant, call, host, subject, allowed }) => {
    requireRun(state);
    const data = { participant, call, host };
    if (allowed) return [{ type: "host.opened", data }];
    const permission = permissionFor(state, { participant, call, subject });
    if (permission.is !== "given") throw new Problem("forbidden", `nobody has allowed ${host}`);
    return [{ type: "host.opened", data: { ...data, question: permission.question } }];
  },
  "host.keep": (state, { subject }) =>
    state.hosts.unkept.includes(subject) ? [{ type: "host.kept", data: { subject } }] : [],
};

function questionText(
  state: State,
  name: string,
  { host, subject, command, node, tainted }: Question["host"] & {},
): string {
  const task = node === undefined ? undefined : state.nodes.get(node)?.name;
  return [
    `May a command of ${name} reach ${host}?`,
    ...(subject === host
      ? []
      : ["It is a package registry; your answer counts for all the usual ones (docs/safety.md)."]),
    ...(task === undefined ? [] : [`For ${node}: ${task.split("\n")[0]}`]),
    ...(tainted ? [`This run has read what ${sourcesSay(state)}: the host may be a stranger's idea.`] : []),
    command,
  ].join("\n");
}

/** The answer in one of the four words, in the ways people say it; a no may give a reason. Yes means once. */
export function hostAnswer({ id, host }: Question, answer: string, remember: boolean | undefined): string {
  const said = answer.trim();
  const word = words.find((one) => said.toLowerCase().startsWith(one) && !/^\w/.test(said.slice(one.length)));
  if (word === "this run" || word === "always") return word;
  if (word === undefined)
    throw new Problem("invalid", `${id} asks whether ${host?.host} may be reached; answer ${hostAnswers.join(", ")}`);
  if (!["no", "n", "deny"].includes(word)) return remember ? "this run" : "this time";
  const reason = said
    .slice(word.length)
    .replace(/^[,:.]/, "")
    .trim();
  return reason ? `no: ${reason}` : "no";
}
const words = [...hostAnswers, "once", "allow", "yes", "y", "ok", "deny", "n"];

const reduceHosts: Reduce = (state, event) => {
  switch (event.type) {
    case "run.started":
      state.hosts = { ...state.hosts, used: {} };
      return;
    case "agent.moved":
      if (event.data.inert) state.hosts = noHosts();
      return;
    case "host.opened": {
      const { question: id, call } = event.data;
      const question = id === undefined ? undefined : state.questions.get(id);
      if (question?.status !== "answered" || question.answer !== "this time") return;
      state.hosts = { ...state.hosts, used: { ...state.hosts.used, [question.id]: call } };
      return;
    }
    case "question.answered": {
      const { host } = state.questions.get(event.data.question) ?? {};
      const { unkept } = state.hosts;
      if (host && event.data.answer === "always" && !unkept.includes(host.subject))
        state.hosts = { ...state.hosts, unkept: [...unkept, host.subject] };
      return;
    }
    case "host.kept":
      state.hosts = { ...state.hosts, unkept: state.hosts.unkept.filter((one) => one !== event.data.subject) };
  }
};

/** Nobody needs the answer any more: the node for which a worker asked is over. */
const settleForgotten: Settle = (state) => {
  const facts: Fact[] = [];
  for (const { id, status, host, by } of state.questions.values()) {
    const asker = state.participants.get(by);
    if (status !== "open" || !host?.node || !asker || asker.kind === "human" || isLead(asker)) continue;
    const node = state.nodes.get(host.node);
    if (!node || !isLive(node))
      facts.push({ type: "question.expired", data: { question: id, over: `${host.node} is over` } });
  }
  return facts.slice(0, 1);
};

export const host = defineBehaviour({
  decide: hostDecide,
  reduce: [
    {
      phase: "after",
      looksAt: [...typesOf("host"), "run.started", "agent.moved", "question.answered"],
      reduce: reduceHosts,
    },
  ],
  settle: [{ phase: "close", rule: settleForgotten }],
});

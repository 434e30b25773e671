/** Notices of what happens elsewhere: a question, an end, a stuck agent. As a toast, and as a system notification if allowed. */
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { isIntended } from "../../core/agent/pause.ts";
import type { Event } from "../../schema/event.ts";
import { useNeedsCount } from "../needs/use-needs.ts";
import { whoIs } from "../parts/status/avatar.tsx";
import { plainWords } from "../parts/text/plain-words.ts";
import { useAnswers, useStore } from "../store/hooks.ts";
import { notificationStatus } from "../store/notify.ts";
import { type Toast, useToasts } from "./toasts.tsx";

interface Notice {
  look: Toast["look"];
  title: string;
  text: string;
}

export function Notices() {
  const store = useStore();
  const answers = useAnswers();
  const navigate = useNavigate();
  const { say } = useToasts();
  const { agent: shown } = useParams({ strict: false });
  const here = useRef(shown);
  here.current = shown;
  const count = useNeedsCount();
  useEffect(() => {
    document.title = count > 0 ? `(${count}) Agiraph` : "Agiraph";
  }, [count]);
  useEffect(() => {
    const open = new Map<string, () => void>();
    const answered = answers.subscribe(() => {
      for (const { agent, question } of answers.held()) open.get(`${agent}/${question}`)?.();
    });
    const heard = store.onEvent((agent, event, state) => {
      if (event.type === "question.answered" || event.type === "question.expired")
        open.get(`${agent}/${event.data.question}`)?.();
      const notice = noticeOf(agent, event, (id) => whoIs(state, id).name);
      if (!notice) return;
      const hidden = document.visibilityState === "hidden";
      // The agent that is looked at says it itself, and the queue lists what is asked.
      const shownHere =
        here.current === agent || (notice.look === "question" && location.pathname.endsWith("/needs-you"));
      if (shownHere && !hidden) return;
      const go = () => void navigate({ to: "/agents/$agent/talk", params: { agent } });
      const { look, title } = notice;
      const text = plainWords(notice.text);
      const close = say({
        look,
        stays: look === "question",
        text: (
          <>
            <b>{title}</b>
            <p className="two">{text}</p>
          </>
        ),
        action: { word: look === "question" ? "Answer" : "Open", act: go },
      });
      if (event.type === "question.asked") open.set(`${agent}/${event.data.question}`, close);
      if (hidden && notificationStatus() === "on")
        new Notification(title, { body: text, tag: `${agent}/${event.seq}` }).onclick = () => {
          focus();
          go();
        };
    });
    return () => {
      answered();
      heard();
    };
  }, [store, answers, navigate, say]);
  return null;
}

function noticeOf(agent: string, { type, data }: Event, name: (id: string) => string): Notice | undefined {
  switch (type) {
    case "question.asked":
      return {
        look: "question",
        title: data.approves
          ? `Approval: ${name(data.by)} of ${agent} asks to use ${data.approves.tool}`
          : data.host
            ? `Approval: a command of ${name(data.by)} of ${agent} wants to reach ${data.host.host}`
            : `${name(data.by)} of ${agent} asks you`,
        text: data.text,
      };
    case "run.completed":
      return { look: "done", title: `${agent} is done`, text: data.summary };
    case "agent.failed":
      return { look: "failure", title: `${agent} failed`, text: data.reason.message };
    case "agent.paused":
      return isIntended(data.reason.code)
        ? undefined
        : { look: "failure", title: `${agent} is stuck`, text: data.reason.message };
    default:
      return undefined;
  }
}

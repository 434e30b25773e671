/**
 * What reaches a program while it works: new messages, if it can hear them; the answers to its permission requests, by the policy or from the human;
 * and the end, once it has handed its work over.
 */
import { decisionOn } from "../../core/human/question.ts";
import type { Activity, Session } from "../../driver/driver.ts";
import { inputText, judgeFor } from "../../loop/features/policy.ts";
import { sha256 } from "../workspace/publish.ts";
import type { CliTurn } from "./cli-turn.ts";
import type { Installed } from "./host.ts";
import { ownTool } from "./native-tools.ts";
import { mailText } from "./prompt.ts";

export interface Attendance {
  /** Until the signal aborts, or the turn is over. */
  attend(until: AbortSignal): Promise<void>;
  /** It has read the first message that it was told and had not read yet. What it never reads stays unread. */
  heard(): void;
  permit(asked: Extract<Activity, { type: "permission" }>, until: AbortSignal): Promise<void>;
}

export function createAttendance(by: CliTurn, installed: Installed, session: Session): Attendance {
  const { id, turn, of, options, state, me, record } = by;
  const { live } = options;
  /** Where the messages end that it was told and has not read yet. */
  const told: number[] = [];

  /** Once its run is over, nothing that it is told could be recorded. */
  function isOpen(): boolean {
    return state().run?.status === "open" && /^(active|paused)$/.test(state().agent?.status ?? "");
  }

  return {
    async attend(until) {
      let said = 0;
      let hears = installed.cli.hears === "now";
      while (!until.aborted) {
        const now = by.calling();
        if (!now) return;
        if (now.own?.final) return session.interrupt();
        const mail = hears && isOpen() ? me().unread.filter(({ seq }) => seq > Math.max(now.upto, said)) : [];
        // What is in the background comes with what is not.
        const last = mail.some(({ priority }) => priority !== "background") ? mail.at(-1) : undefined;
        if (last && state().seq > live.durableSeq())
          await live.durable(); // nobody is told what may not have happened
        else {
          if (last) hears = session.say(mailText(mail));
          if (last && hears) {
            said = last.seq;
            told.push(said);
          }
          await options.changed(until);
        }
      }
    },
    heard() {
      const upto = told.shift();
      if (upto !== undefined) record({ type: "program.tell", ...of, upto });
    },
    async permit(asked, until) {
      const tool = ownTool(asked.name, asked.about, installed.sandbox !== undefined);
      const verdict = judgeFor(state(), options.policy, tool, me());
      if (verdict.do === "allow") return session.permit(asked.id, { allow: true });
      if (verdict.do === "deny") return session.permit(asked.id, { allow: false, why: verdict.why });
      // By what it wants: after a crash the same request finds the answer that was given.
      const call = `may-${sha256(JSON.stringify([asked.name, asked.input])).slice(0, 16)}`;
      const about = { turn: turn.id, call, tool: tool.name };
      const text = `May ${me().name} use ${asked.name}? ${verdict.why}\n${options.redact(inputText(asked.input))}`;
      record({ type: "program.ask", ...of, call, tool: tool.name, text });
      while (!until.aborted) {
        const word = decisionOn(state(), id, about);
        if (word?.status === "answered") {
          const allow = word.answer === "allow";
          return session.permit(asked.id, allow ? { allow } : { allow, why: `the human said ${word.answer}` });
        }
        if (word && word.status !== "open") return session.permit(asked.id, { allow: false, why: "nobody answered" });
        await options.changed(until);
      }
    },
  };
}

/**
 * A question answered beside the node that waits for it: one stroke, and it can be taken back like every answer. While the drawer has the
 * focus its options have the keys 1 to 9. Words of one's own are written in the thread.
 */
import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { needsWord } from "../../core/human/question.ts";
import type { State } from "../../core/state.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import type { Question } from "../../schema/question.ts";
import { callTitle } from "../needs/call-title.ts";
import { inputOf } from "../needs/queue.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { ApprovalMark } from "../parts/question/approval-mark.tsx";
import { CallShown } from "../parts/question/call-shown.tsx";
import { HostShown, hostWords } from "../parts/question/host-asked.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { HeldStatus, useHolding } from "../shell/held.tsx";
import { keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { isOnScreen } from "../shell/on-screen.ts";
import type { AnswerWish, HeldAnswer } from "../store/held.ts";
import { useAnswers, useHeld } from "../store/hooks.ts";

interface Props {
  agent: string;
  state: State;
  question: Question;
}

export function Quick({ agent, state, question }: Props) {
  const { id, asked_at, by, options = [], approves } = question;
  const answers = useAnswers();
  const held = useHeld().find((one) => one.agent === agent && one.question === id && one.asked_at === asked_at);
  if (held) return <Chosen held={held} />;
  const give = ({ words, said }: Pick<AnswerWish, "words" | "said">) =>
    answers.hold([{ agent, question, who: whoIs(state, by).name, words, said }]);
  const choices = approves
    ? (["allow", "deny"] as const).map((decision) => {
        const word = decision === "allow" ? "Allow" : "Deny";
        const words = `${decision === "allow" ? "Allowed" : "Denied"}: ${callTitle(approves.tool, inputOf(state, question))}`;
        return { word, act: () => give({ words, said: { decision } }) };
      })
    : options.map((word) => ({
        word,
        act: () =>
          give({ words: question.host ? hostWords(word, question.host.host) : word, said: { response: word } }),
      }));
  return (
    <>
      {needsWord(question) ? <Wanted state={state} question={question} /> : null}
      <div className="quick">
        {choices.map(({ word, act }, index) => (
          <Button key={word} onClick={act}>
            {index < 9 ? <Digit digit={index + 1} act={act} /> : null}
            {visibleLine(word)}
          </Button>
        ))}
        {choices.length ? null : (
          <Link
            className="btn"
            to="/agents/$agent/talk"
            params={{ agent }}
            search={by === "coordinator" ? {} : { with: by }}
          >
            Answer in the thread
          </Link>
        )}
      </div>
    </>
  );
}

/** Nobody says yes to what is not shown. */
function Wanted({ state, question }: Pick<Props, "state" | "question">) {
  return (
    <div className="quick-w">
      <ApprovalMark tool={question.approves?.tool} host={question.host?.host} />
      {question.host ? (
        <HostShown state={state} question={question} />
      ) : (
        <CallShown state={state} question={question} />
      )}
    </div>
  );
}

function Digit({ digit, act }: { digit: number; act(): void }) {
  const key = useRef<HTMLElement>(null);
  useKey(keyMap.option, ({ target }, name) =>
    name === String(digit) &&
    target instanceof Element &&
    target.closest(".drawer.of-node") &&
    isOnScreen(key.current?.closest("button"))
      ? act()
      : false,
  );
  return <kbd ref={key}>{digit}</kbd>;
}

function Chosen({ held }: { held: HeldAnswer }) {
  const answers = useAnswers();
  const { status } = useHolding(held);
  return (
    <div className="quick said" role="status">
      <Icon name={status === "waiting" ? "clock" : "check"} size={14} />
      <span className="grow">
        You: <b>{held.words}</b>{" "}
        <span className="dim num">
          <HeldStatus held={held} />
        </span>
      </span>
      {status === "sending" ? null : (
        <button type="button" className="lnk" onClick={() => answers.undo(held.batch)}>
          Undo
        </button>
      )}
    </div>
  );
}

/** Several calls approved at once: each is shown as it would be alone, and the button stands below the last. */
import { useRef } from "react";
import { Button } from "../parts/controls/button.tsx";
import { ApprovalMark } from "../parts/question/approval-mark.tsx";
import { CallShown } from "../parts/question/call-shown.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { plural } from "../parts/text/words.ts";
import { KeyCaps, keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { isOnScreen } from "../shell/on-screen.ts";
import type { Need } from "./queue.ts";

type Approval = Extract<Need, { kind: "approval" }>;

interface Props {
  needs: readonly Approval[];
  allow(): void;
  clear(): void;
  remove(key: string): void;
}

export function Batch({ needs, allow, clear, remove }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  useKey(keyMap.allowSelected, () => {
    if (isOnScreen(button.current)) allow();
    else button.current?.scrollIntoView({ block: "end" });
  });
  return (
    <section className="need-focus batch" aria-label={`${plural(needs.length, "call")} chosen`}>
      <div className="f-b">
        <h2>{needs.length === 1 ? "Allow this call?" : `Allow these ${needs.length} calls?`}</h2>
      </div>
      <ol>
        {needs.map((need) => {
          const who = whoIs(need.state, need.question.by);
          return (
            <li key={need.key}>
              <ApprovalMark tool={need.question.approves?.tool ?? ""}>
                <Avatar who={who} size={16} />
                <span>
                  {who.name}, {need.agent}
                </span>
                <button type="button" className="lnk" onClick={() => remove(need.key)}>
                  Leave out
                </button>
              </ApprovalMark>
              <div className="f-b">
                <CallShown state={need.state} question={need.question} />
              </div>
            </li>
          );
        })}
      </ol>
      <div className="f-b">
        <div className="act">
          <Button ref={button} look="solid" large onClick={allow}>
            {needs.length === 1 ? "Allow it" : needs.length === 2 ? "Allow both" : `Allow all ${needs.length}`}
            <KeyCaps of={keyMap.allowSelected} />
          </Button>
          <Button large onClick={clear}>
            Clear selection
          </Button>
        </div>
      </div>
    </section>
  );
}

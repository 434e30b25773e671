/** Messages that are not sent yet: why, and what can be done. One that is being sent shows only if it takes long. */
import { useEffect, useState } from "react";
import type { Attachment } from "../../schema/resource.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { Time } from "../parts/text/time.tsx";
import { plural } from "../parts/text/words.ts";
import { after } from "../platform.ts";
import { useFollowed } from "../store/follow.ts";
import { useOutbox } from "../store/hooks.ts";
import type { Outbox, Unsent } from "./outbox.ts";

interface Given {
  agent: string;
  of: string;
  /** Takes the words back into the composer. */
  edit(text: string, attached: readonly Attachment[]): void;
}

export function UnsentList({ agent, of, edit }: Given) {
  const box = useOutbox();
  const all = useFollowed(box.subscribe, box.all);
  const mine = all.filter((one) => one.agent === agent && one.of === of);
  return mine.map((one) => <One key={one.id} one={one} box={box} edit={edit} />);
}

const patienceMs = 400;

function One({ one, box, edit }: { one: Unsent; box: Outbox; edit: Given["edit"] }) {
  const { id, text, attached, at, status, why } = one;
  const [slow, setSlow] = useState(false);
  useEffect(() => after(patienceMs, () => setSlow(true)), []);
  if (!slow && status !== "failed") return null;
  return (
    <article className={`msg unsent ${status}`} aria-label="Not sent yet">
      <Avatar who={whoIs(undefined, "human")} size={28} />
      <div>
        <div className="msg-h">
          <b>You</b>
          <Time at={at} />
        </div>
        <div className="msg-b">
          {text ? <p className="two">{text}</p> : null}
          {attached.length ? <p className="dim">with {plural(attached.length, "file")}</p> : null}
        </div>
        <p className="unsent-w" role="status">
          <Icon name={status === "failed" ? "alert" : "clock"} size={14} />
          <span>
            {status === "failed"
              ? `Not sent: ${why}`
              : status === "sending"
                ? "Sending"
                : "Kept here, sent when you are back online"}
          </span>
          {status === "sending" ? null : (
            <>
              {status === "failed" ? (
                <button type="button" className="lnk" onClick={() => box.again(id)}>
                  Try again
                </button>
              ) : null}
              <button
                type="button"
                className="lnk"
                onClick={() => {
                  box.drop(id);
                  edit(text, attached);
                }}
              >
                Take back
              </button>
            </>
          )}
        </p>
      </div>
    </article>
  );
}

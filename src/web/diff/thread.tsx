/** What was said about a line, and the field to say something. What was written and not sent is kept. */
import { type KeyboardEvent, useEffect, useRef } from "react";
import type { Comment } from "../../core/file/line-comment.ts";
import type { State } from "../../core/state.ts";
import { Button } from "../parts/controls/button.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { Time } from "../parts/text/time.tsx";
import { createKept, plainText, useKept } from "../store/persisted-state.ts";

const drafts = createKept("agiraph.comment.", plainText);

interface Given {
  state: State | undefined;
  comments: readonly Comment[];
  /** What the draft is kept by. */
  of: string;
  /** Who gets it, and what that does: `Rui reads it before the next step`. */
  wakes: string;
  writing: boolean;
  /** Why nothing can be said. */
  why?: string | undefined;
  write(): void;
  send(text: string): void;
  close(): void;
}

export function Thread({ state, comments, of, wakes, writing, why, write, send, close }: Given) {
  return (
    <div className="cmt">
      <div className="cmt-in">
        {comments.map(({ id, from, text, at, unsent }) => (
          <div key={id} className="cm1">
            <Avatar who={whoIs(state, from)} size={18} />
            <div className="cm1-b">
              <b>{whoIs(state, from).name}</b>
              <Markdown text={text} />
            </div>
            {unsent ? <span className="dim small">{unsent}</span> : <Time at={at} />}
          </div>
        ))}
        {writing ? (
          <Field key={of} of={of} wakes={wakes} why={why} send={send} close={close} />
        ) : why ? null : (
          <Button look="ghost" className="cm-more" onClick={write}>
            Reply
          </Button>
        )}
      </div>
    </div>
  );
}

function Field({ of, wakes, why, send, close }: Pick<Given, "of" | "wakes" | "why" | "send" | "close">) {
  const [text, keep] = useKept(drafts, of);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const empty = !text.trim();
  const submit = () => {
    if (empty || why) return;
    send(text.trim());
    keep(undefined);
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="cm-new">
      <textarea
        ref={field}
        rows={3}
        aria-label="Comment on this line"
        placeholder="Ask, or say what should change"
        value={text}
        onChange={({ target }) => keep(target.value || undefined)}
        onKeyDown={press}
      />
      <div className="cm-f">
        <span className="dim ell">{why ?? wakes}</span>
        <span className="grow" />
        <Button look="ghost" onClick={close}>
          Cancel
        </Button>
        <Button look="solid" why={why ?? (empty ? "Write something first" : undefined)} onClick={submit}>
          Comment
        </Button>
      </div>
    </div>
  );
}

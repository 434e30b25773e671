/**
 * Where the human writes: names are completed after an @, files are attached, dropped or pasted, it says who wakes when this is sent, and what
 * was not sent is kept. What is sent goes through the outbox, so it waits when the daemon is away.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { State } from "../../core/state.ts";
import { IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { optionAfter } from "../parts/controls/options.ts";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { useLink, useOutbox } from "../store/hooks.ts";
import { isLeaderless } from "../store/main-thread.ts";
import { createKept, plainText } from "../store/persisted-state.ts";
import { useDrop } from "./drop.ts";
import { FileChips } from "./file-chips.tsx";
import { useFilesGiven } from "./files-given.ts";
import { type Candidate, candidates, Mentions } from "./mentions.tsx";
import { UnsentList } from "./unsent.tsx";
import { wakeOf } from "./wake.ts";

interface Given {
  agent: string;
  of: string;
  state: State;
}

/** By agent and thread. Not followed over windows: two people may write in two of them. */
const drafts = createKept("agiraph.draft.", plainText);

export function Composer({ agent, of, state }: Given) {
  const outbox = useOutbox();
  const { status } = useLink();
  const key = `${agent}.${of}`;
  const [text, setText] = useState(() => drafts.read(key));
  const [menu, setMenu] = useState<{ from: number; typed: string } | null>(null);
  const [at, setAt] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const files = useFilesGiven(agent, of, state);
  const over = useDrop(files.add);

  useEffect(() => setText(drafts.read(key)), [key]);
  useKey(keyMap.write, ({ target }) => (target === document.body ? field.current?.focus() : false));
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, text ? 240 : 40)}px`;
  }, [text]);

  const write = (next: string) => {
    setText(next);
    drafts.write(next || undefined, key);
  };
  const found = menu ? candidates(state, menu.typed) : [];
  const chosen = Math.min(at, found.length - 1);
  const forAll = isLeaderless(state) ? "everyone, or one with @name" : "everyone with @all, or one with @name";
  const name = of === "channel" ? "the channel" : whoIs(state, of).name;
  const wake = wakeOf(state, text, of);
  const offline = status !== "live";
  const said = text.trim();
  const why = whyNot();

  function whyNot(): string | undefined {
    if (wake.to.length === 0 || wake.deaf) return wake.words;
    if (files.parts.some(({ there, why }) => !there && !why)) return "A file is still uploading";
    if (files.parts.some(({ why }) => why)) return "First remove the files that cannot be sent";
    return said || files.parts.length ? undefined : "Write something first";
  }

  const look = (value: string, caret: number) => {
    const typed = /(?:^|[\s([,;:])@([\p{L}\p{N}_-]*)$/u.exec(value.slice(0, caret))?.[1];
    setMenu(typed === undefined ? null : { from: caret - typed.length - 1, typed });
    setAt(0);
  };
  const complete = (one: Candidate | undefined) => {
    if (!menu || !one) return;
    const called = /\s/.test(one.name) ? `"${one.name}"` : one.name;
    const next = `${text.slice(0, menu.from)}@${called} ${text.slice(menu.from + 1 + menu.typed.length)}`;
    write(next);
    setMenu(null);
    field.current?.focus();
  };
  const send = () => {
    if (why) return;
    const to = wake.address && wake.address !== "coordinator" ? { to: wake.address } : {};
    outbox.add({ agent, of, text: said, ...to, attached: files.take() });
    write("");
    field.current?.focus();
  };

  return (
    <>
      <UnsentList
        agent={agent}
        of={of}
        edit={(back, attached) => {
          write(text.trim() ? `${back}\n${text}` : back);
          files.put(attached);
          field.current?.focus();
        }}
      />
      <div className={`composer ${over ? "over" : ""}`}>
        {menu && found.length ? <Mentions state={state} found={found} chosen={chosen} choose={complete} /> : null}
        <textarea
          ref={field}
          className="text"
          rows={1}
          aria-label={`Message ${name}`}
          placeholder={over ? "Drop to attach" : `Message ${of === "channel" ? forAll : name}`}
          value={text}
          aria-controls={menu && found.length ? "mentions" : undefined}
          onChange={({ target }) => {
            write(target.value);
            look(target.value, target.selectionStart);
          }}
          onPaste={(event) => {
            if (event.clipboardData.files.length === 0) return;
            event.preventDefault();
            files.add(event.clipboardData.files);
          }}
          onBlur={() => setMenu(null)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (menu && found.length) {
              const next = optionAfter(event.key, chosen, found.length);
              if (next !== undefined) setAt(next);
              else if (event.key === "Enter" || event.key === "Tab") complete(found[chosen]);
              else if (event.key === "Escape") setMenu(null);
              else return;
              event.preventDefault();
              event.stopPropagation();
            } else if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault();
              send();
            }
          }}
        />
        <FileChips given={files} />
        <div className="bar">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label="Files to attach"
            onChange={({ target }) => {
              files.add(target.files ?? []);
              target.value = "";
            }}
          />
          <IconButton label="Attach files" onClick={() => picker.current?.click()}>
            <Icon name="clip" />
          </IconButton>
          <IconButton
            label="Mention"
            onClick={() => {
              const next = text && !/\s$/.test(text) ? `${text} @` : `${text}@`;
              write(next);
              look(next, next.length);
              field.current?.focus();
            }}
          >
            <Icon name="at" />
          </IconButton>
          <span className="grow" />
          {menu && found.length ? null : offline ? (
            <span className="wake late" aria-live="polite">
              <Icon name="clock" size={14} />
              Sent when you are back
            </span>
          ) : (
            <span className="wake" aria-live="polite">
              <span className="faces">
                {wake.to.slice(0, 4).map((id) => (
                  <Avatar key={id} who={whoIs(state, id)} />
                ))}
              </span>
              <span>
                {wake.to.length === 1 ? <b>{whoIs(state, wake.to[0]!).name} </b> : null}
                {wake.words}
              </span>
            </span>
          )}
          <button
            type="button"
            className="sendb"
            aria-label="Send"
            title={why ?? (offline ? "Send when you are back" : "Send")}
            disabled={why !== undefined}
            onClick={send}
          >
            <Icon name="send" />
          </button>
        </div>
      </div>
    </>
  );
}

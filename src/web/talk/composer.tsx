/** Where the human writes: names are completed after an @, it says who wakes when this is sent, and what was not sent is kept. */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { State } from "../../core/state.ts";
import { Avatar, whoIs } from "../parts/avatar.tsx";
import { IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { personLook } from "../parts/status.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient, useLink } from "../store/hooks.ts";
import { wakeOf } from "./wake.ts";

interface Given {
  agent: string;
  of: string;
  state: State;
}

interface Candidate {
  id: string;
  name: string;
  about: string;
}

const draftKey = (agent: string, of: string) => `agiraph.draft.${agent}.${of}`;

export function Composer({ agent, of, state }: Given) {
  const client = useClient();
  const { attempt } = useToasts();
  const { status } = useLink();
  const key = draftKey(agent, of);
  const [text, setText] = useState(() => localStorage.getItem(key) ?? "");
  const [menu, setMenu] = useState<{ from: number; typed: string } | null>(null);
  const [at, setAt] = useState(0);
  const [sending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);

  useEffect(() => setText(localStorage.getItem(key) ?? ""), [key]);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, text ? 240 : 40)}px`;
  }, [text]);

  const write = (next: string) => {
    setText(next);
    if (next) localStorage.setItem(key, next);
    else localStorage.removeItem(key);
  };
  const found = menu ? candidates(state, menu.typed) : [];
  const chosen = Math.min(at, found.length - 1);
  const wake = wakeOf(state, text, of);
  const offline = status !== "live";
  const why = offline
    ? "Offline: it is kept here until you can send it"
    : wake.to.length === 0
      ? wake.words
      : undefined;

  const look = (value: string, caret: number) => {
    const typed = /(?:^|[\s([,;:])@([\p{L}\p{N}_-]*)$/u.exec(value.slice(0, caret))?.[1];
    setMenu(typed === undefined ? null : { from: caret - typed.length - 1, typed });
    setAt(0);
  };
  const complete = (one: Candidate | undefined) => {
    if (!menu || !one) return;
    const name = /\s/.test(one.name) ? `"${one.name}"` : one.name;
    const next = `${text.slice(0, menu.from)}@${name} ${text.slice(menu.from + 1 + menu.typed.length)}`;
    write(next);
    setMenu(null);
    field.current?.focus();
  };
  const send = async () => {
    const message = text.trim();
    if (!message || why || sending) return;
    setSending(true);
    const to = wake.address && wake.address !== "coordinator" ? { to: wake.address } : {};
    const sent = await attempt(client.send({ params: { agent }, body: { message, ...to } }));
    if (sent) write("");
    setSending(false);
    field.current?.focus();
  };

  return (
    <div className="composer">
      {menu && found.length ? (
        <div className="menu" role="listbox" aria-label="Mention" id="mentions">
          {found.map((one, index) => (
            <button
              type="button"
              key={one.id}
              role="option"
              aria-selected={index === chosen}
              className={`mi ${index === chosen ? "on" : ""}`}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => complete(one)}
            >
              {one.id === "*" ? <Icon name="users" size={20} /> : <Avatar who={whoIs(state, one.id)} size={20} />}
              <span className="nm">{one.name}</span>
              <span className="d">{one.about}</span>
              {index === chosen ? (
                <span className="r">
                  <kbd>↵</kbd>
                </span>
              ) : null}
            </button>
          ))}
        </div>
      ) : null}
      <textarea
        ref={field}
        className="text"
        rows={1}
        aria-label={`Message ${of === "channel" ? "the channel" : whoIs(state, of).name}`}
        placeholder={`Message ${of === "channel" ? "everyone with @all, or one with @name" : whoIs(state, of).name}`}
        value={text}
        aria-controls={menu && found.length ? "mentions" : undefined}
        onChange={({ target }) => {
          write(target.value);
          look(target.value, target.selectionStart);
        }}
        onBlur={() => setMenu(null)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (menu && found.length) {
            if (event.key === "ArrowDown") setAt((chosen + 1) % found.length);
            else if (event.key === "ArrowUp") setAt((chosen + found.length - 1) % found.length);
            else if (event.key === "Enter" || event.key === "Tab") complete(found[chosen]);
            else if (event.key === "Escape") setMenu(null);
            else return;
            event.preventDefault();
            event.stopPropagation();
          } else if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            void send();
          }
        }}
      />
      <div className="bar">
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
        {menu && found.length ? null : (
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
          title={why ?? "Send"}
          disabled={!text.trim() || why !== undefined || sending}
          onClick={() => void send()}
        >
          <Icon name="send" />
        </button>
      </div>
    </div>
  );
}

function candidates(state: State, typed: string): Candidate[] {
  const everyone: Candidate = { id: "*", name: "all", about: `everyone in ${state.run?.id ?? "the run"}` };
  const people = [...state.participants.values()].flatMap((one) =>
    one.kind === "human" || one.retired
      ? []
      : [
          {
            id: one.id,
            name: whoIs(state, one.id).name,
            about: one.node ? `works on ${one.node}` : personLook(state, one).word.toLowerCase(),
          },
        ],
  );
  const wanted = typed.toLowerCase();
  return [...people, everyone]
    .filter(({ id, name }) => name.toLowerCase().startsWith(wanted) || id.startsWith(wanted))
    .slice(0, 6);
}

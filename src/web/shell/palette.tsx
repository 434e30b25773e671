/** ⌘K: go anywhere, do anything. `@` people, `#` nodes, `>` commands; without one of them everything that fits, over all agents, and what its files, messages and memory say. */
import { useNavigate, useParams } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useMemo, useState } from "react";
import { Icon } from "../parts/controls/icon.tsx";
import { optionAfter } from "../parts/controls/options.ts";
import { Avatar } from "../parts/status/avatar.tsx";
import { StatusDot } from "../parts/status/status.tsx";
import { createKept, json, stringsIn } from "../store/persisted-state.ts";
import { Dialog } from "./dialog.tsx";
import { KeyCaps, keyMap } from "./key-map.tsx";
import { useKey } from "./keys.tsx";
import { find, wordsOf } from "./palette-find.ts";
import { type Item, usePaletteItems } from "./palette-items.ts";
import { useSearch } from "./palette-search.ts";

const asked = "agiraph:palette";
export const openPalette = (): void => void dispatchEvent(new CustomEvent(asked));

export function Palette() {
  const [open, setOpen] = useState(false);
  useKey(keyMap.search, () => setOpen((was) => !was));
  useEffect(() => {
    const show = () => setOpen(true);
    addEventListener(asked, show);
    return () => removeEventListener(asked, show);
  }, []);
  return (
    <Dialog open={open} label="Search and commands" close={() => setOpen(false)} className="pal">
      <Inside close={() => setOpen(false)} />
    </Dialog>
  );
}

/** Ids of items that were opened, newest first. */
const recent = createKept("agiraph.recent", json(stringsIn));
const mostRecent = 12;

const remember = (id: string): void =>
  recent.write([id, ...recent.read().filter((one) => one !== id)].slice(0, mostRecent));

function Inside({ close }: { close(): void }) {
  const navigate = useNavigate();
  const items = usePaletteItems();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const { agent } = useParams({ strict: false });
  const searched = useSearch(agent, text);
  const named = useMemo(() => find(items, text, recent.read()), [items, text]);
  const groups = [...named, ...searched.groups];
  const flat = groups.flatMap((group) => group.items);
  const chosen = Math.min(at, Math.max(0, flat.length - 1));
  const id = flat[chosen]?.id;
  useEffect(() => {
    if (id) document.getElementById(`pal-${id}`)?.scrollIntoView({ block: "nearest" });
  }, [id]);
  const go = (item: Item | undefined) => {
    if (!item) return;
    if (item.kind !== "command" && items.includes(item)) remember(item.id);
    close();
    void item.go(navigate);
  };
  const press = (event: KeyboardEvent) => {
    const next = optionAfter(event.key, chosen, flat.length);
    if (next !== undefined) setAt(next);
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) go(flat[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="pal-in">
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: it was opened to be written into
          autoFocus
          aria-label="Search and commands"
          role="combobox"
          aria-expanded="true"
          aria-controls="pal-list"
          aria-activedescendant={id ? `pal-${id}` : undefined}
          placeholder="Search everything"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
        <kbd>esc</kbd>
      </div>
      <div className="menu pal-list" role="listbox" id="pal-list" aria-label="Found">
        {flat.length === 0 && !searched.note ? <p className="menu-h">No matches.</p> : null}
        {groups.map(({ title, items: these }) => (
          // biome-ignore lint/a11y/useSemanticElements: options of a list are grouped so
          <div key={title} role="group" aria-label={title}>
            <div className="menu-h" aria-hidden="true">
              {title}
            </div>
            {these.map((item) => (
              <Line
                key={item.id}
                item={item}
                on={item === flat[chosen]}
                words={wordsOf(text)}
                go={() => go(item)}
                over={() => setAt(flat.indexOf(item))}
              />
            ))}
          </div>
        ))}
      </div>
      {searched.note ? (
        <p className="menu-h pal-n" role="status">
          {searched.note}
        </p>
      ) : null}
      <div className="pal-f" aria-hidden="true">
        <span>
          <kbd>↑</kbd>
          <kbd>↓</kbd> move
        </span>
        <span>
          <kbd>↵</kbd> open
        </span>
        <span className="grow" />
        <span>
          <kbd>@</kbd> people
        </span>
        <span>
          <kbd>#</kbd> nodes
        </span>
        <span>
          <kbd>&gt;</kbd> commands
        </span>
      </div>
    </>
  );
}

interface LineProps {
  item: Item;
  on: boolean;
  words: readonly string[];
  go(): void;
  over(): void;
}

function Line({ item, on, words, go, over }: LineProps) {
  return (
    <button
      type="button"
      id={`pal-${item.id}`}
      role="option"
      aria-selected={on}
      tabIndex={-1}
      className={`mi ${on ? "on" : ""}`}
      onClick={go}
      onMouseMove={over}
    >
      {item.who ? (
        <Avatar who={item.who} size={20} />
      ) : item.look ? (
        <span className="pal-st">
          <StatusDot look={item.look} size={14} />
        </span>
      ) : (
        <Icon name={item.icon ?? "arrow"} />
      )}
      <span className="name">
        <Marked text={item.name} words={words} />
      </span>
      <span className="d">
        {/^(file|message|memory)$/.test(item.kind) ? <Marked text={item.about} words={words} /> : item.about}
      </span>
      <span className="r">
        {item.note ?? ""}
        {item.key ? <KeyCaps of={item.key} /> : null}
        {on && !item.key ? <kbd>↵</kbd> : null}
      </span>
    </button>
  );
}

/** The letters that fit. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  const word = words.find((one) => text.toLowerCase().includes(one));
  if (!word) return text;
  const at = text.toLowerCase().indexOf(word);
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + word.length)}</mark>
      {text.slice(at + word.length)}
    </>
  );
}

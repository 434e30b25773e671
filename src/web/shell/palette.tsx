/** ⌘K: go anywhere, do anything. `@` people, `#` nodes, `>` commands; without one of them everything that fits. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import type { Who } from "../parts/avatar.tsx";
import { Avatar } from "../parts/avatar.tsx";
import { Icon } from "../parts/icon.tsx";
import { Dialog } from "./dialog.tsx";
import { useKey } from "./keys.tsx";
import { usePaletteItems } from "./palette-items.ts";

export interface Item {
  id: string;
  kind: "person" | "node" | "command" | "page";
  name: string;
  about: string;
  icon?: string;
  who?: Who;
  go(navigate: ReturnType<typeof useNavigate>): unknown;
}

const asked = "agiraph:palette";
export const openPalette = (): void => void dispatchEvent(new CustomEvent(asked));

export function Palette() {
  const [open, setOpen] = useState(false);
  useKey("mod+k", "Search and commands", () => setOpen((was) => !was));
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

const kinds: Record<string, Item["kind"]> = { "@": "person", "#": "node", ">": "command" };

function Inside({ close }: { close(): void }) {
  const navigate = useNavigate();
  const items = usePaletteItems();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const found = useMemo(() => {
    const kind = kinds[text[0] ?? ""];
    const words = (kind ? text.slice(1) : text).toLowerCase().split(/\s+/).filter(Boolean);
    return items
      .filter((item) => !kind || item.kind === kind)
      .filter(({ name, about }) => words.every((word) => `${name} ${about}`.toLowerCase().includes(word)))
      .slice(0, 12);
  }, [items, text]);
  const chosen = Math.min(at, Math.max(0, found.length - 1));
  const go = (item: Item | undefined) => {
    if (!item) return;
    close();
    void item.go(navigate);
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
          aria-activedescendant={found[chosen] ? `pal-${found[chosen].id}` : undefined}
          placeholder="Search, or @ people, # nodes, > commands"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") setAt(Math.min(chosen + 1, found.length - 1));
            else if (event.key === "ArrowUp") setAt(Math.max(chosen - 1, 0));
            else if (event.key === "Enter") go(found[chosen]);
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <div className="menu" role="listbox" id="pal-list" aria-label="Found">
        {found.length === 0 ? <p className="menu-h">Nothing fits.</p> : null}
        {found.map((item, index) => (
          <button
            type="button"
            key={item.id}
            id={`pal-${item.id}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            className={`mi ${index === chosen ? "on" : ""}`}
            onClick={() => go(item)}
            onMouseMove={() => setAt(index)}
          >
            {item.who ? <Avatar who={item.who} size={20} /> : <Icon name={item.icon ?? "arrow"} />}
            <span className="nm">{item.name}</span>
            <span className="d">{item.about}</span>
            {index === chosen ? (
              <span className="r">
                <kbd>↵</kbd>
              </span>
            ) : null}
          </button>
        ))}
      </div>
    </>
  );
}

/** A search field above a list. The key for finding puts the focus there, Escape takes it away. */
import { type KeyboardEvent, useRef } from "react";
import { KeyCaps, keyMap } from "../../shell/key-map.tsx";
import { useKey } from "../../shell/keys.tsx";
import { Icon } from "./icon.tsx";

interface Given {
  label: string;
  query: string;
  change(query: string): void;
  /** What a key does besides. */
  pressed?(event: KeyboardEvent<HTMLInputElement>): void;
}

export function FindField({ label, query, change, pressed }: Given) {
  const field = useRef<HTMLInputElement>(null);
  useKey(keyMap.find, () => field.current?.focus());
  return (
    <label className="find">
      <Icon name="search" size={14} />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        value={query}
        maxLength={200}
        onChange={({ target }) => change(target.value)}
        onKeyDown={(event) => {
          pressed?.(event);
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      {query ? null : (
        <span className="hide-phone">
          <KeyCaps of={keyMap.find} />
        </span>
      )}
    </label>
  );
}

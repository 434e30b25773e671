/**
 * A panel of details at the right: in a column beside the page, or over it; on a phone a sheet from below. Escape and its button close it, and of
 * several the one opened last.
 */
import type { ReactNode, Ref } from "react";
import { keyMap } from "../../shell/key-map.tsx";
import { useKey } from "../../shell/keys.tsx";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface Given {
  label: string;
  /** Its first line, before the button that closes it. */
  head: ReactNode;
  close(): void;
  className?: string;
  children: ReactNode;
  ref?: Ref<HTMLElement>;
}

export function Drawer({ label, head, close, className = "", children, ref }: Given) {
  useKey(keyMap.close, close);
  return (
    <aside className={`drawer ${className}`} aria-label={label} tabIndex={-1} ref={ref}>
      <header className="drawer-h">
        {head}
        <IconButton label="Close" onClick={close}>
          <Icon name="x" />
        </IconButton>
      </header>
      {children}
    </aside>
  );
}

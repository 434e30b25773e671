/** Details beside the page: one at a time, closed with Escape. Any page opens it with `useDrawer().open({ title, body })`. */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { keyMap } from "./key-map.tsx";
import { useKey } from "./keys.tsx";

export interface Sheet {
  title: ReactNode;
  body: ReactNode;
  /** Told when it is closed from here. */
  closed?(): void;
}

interface Control {
  sheet: Sheet | null;
  open(sheet: Sheet): void;
  close(): void;
}

const DrawerContext = createContext<Control>({ sheet: null, open: () => undefined, close: () => undefined });

export const useDrawer = (): Control => useContext(DrawerContext);

export function DrawerProvider({ children }: { children: ReactNode }) {
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const control = useMemo<Control>(
    () => ({
      sheet,
      open: setSheet,
      close() {
        sheet?.closed?.();
        setSheet(null);
      },
    }),
    [sheet],
  );
  return <DrawerContext value={control}>{children}</DrawerContext>;
}

export function Drawer() {
  const { sheet, close } = useDrawer();
  useKey(keyMap.close, () => {
    if (!sheet) return false;
    close();
  });
  useEffect(() => {
    if (sheet) document.getElementById("drawer")?.focus();
  }, [sheet]);
  if (!sheet) return null;
  return (
    <aside className="drawer" id="drawer" tabIndex={-1} aria-label="Details">
      <header className="drawer-h">
        <div className="grow">{sheet.title}</div>
        <IconButton label="Close" onClick={close}>
          <Icon name="x" />
        </IconButton>
      </header>
      <div className="drawer-b">{sheet.body}</div>
    </aside>
  );
}

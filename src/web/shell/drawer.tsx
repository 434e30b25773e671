/** Details beside the page: one at a time, closed with Escape. Any page opens it with `useDrawer().open({ title, body })`. */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { Drawer } from "../parts/controls/drawer.tsx";

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

export function DetailsDrawer() {
  const { sheet, close } = useDrawer();
  const drawer = useRef<HTMLElement>(null);
  useEffect(() => {
    if (sheet) drawer.current?.focus();
  }, [sheet]);
  if (!sheet) return null;
  return (
    <Drawer
      className="over"
      label="Details"
      head={<div className="grow">{sheet.title}</div>}
      close={close}
      ref={drawer}
    >
      <div className="drawer-b">{sheet.body}</div>
    </Drawer>
  );
}

/** A sheet above everything: a real dialog, so focus stays in it and Escape closes it. */
import { type ReactNode, useEffect, useRef } from "react";

interface Given {
  open: boolean;
  label: string;
  close(): void;
  className?: string;
  children: ReactNode;
}

export function Dialog({ open, label, close, className = "", children }: Given) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (open && dialog && !dialog.open) dialog.showModal();
    if (!open) dialog?.close();
  }, [open]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog
      ref={ref}
      className={`dialog ${className}`}
      aria-label={label}
      // It is told late: by then somebody may have opened it again.
      onClose={() => ref.current?.open || close()}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      {open ? children : null}
    </dialog>
  );
}

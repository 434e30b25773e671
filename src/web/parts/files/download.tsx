/**
 * A file of ours, saved by the browser. It is fetched by the page, because only the page has the token of its session
 * (store/session.ts) and a link says nothing.
 */
import type { ReactNode } from "react";
import { after } from "../../platform.ts";
import { useToasts } from "../../shell/toasts.tsx";

interface Props {
  /** Where it lies; shown, and not what is followed. */
  address: string;
  name: string;
  get(): Promise<Blob | Response>;
  className?: string;
  label?: string;
  title?: string;
  children: ReactNode;
}

export function Download({ address, name, get, className, label, title, children }: Props) {
  const { attempt } = useToasts();
  const fetchAndSave = async () => {
    const got = await get();
    save(name, got instanceof Response ? await got.blob() : got);
  };
  return (
    <a
      className={className}
      href={address}
      download={name}
      aria-label={label}
      title={title}
      onClick={(event) => {
        event.preventDefault();
        void attempt(fetchAndSave());
      }}
    >
      {children}
    </a>
  );
}

/** The browser needs its address for a moment longer than the click. */
const keptMs = 60_000;

export function save(name: string, bytes: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  after(keptMs, () => URL.revokeObjectURL(link.href));
}

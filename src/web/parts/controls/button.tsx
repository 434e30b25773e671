/** Buttons are verbs. `solid` is ink and at most one of a card; `ghost` is for the way beside. A disabled one says why. */
import type { ComponentProps, ReactNode } from "react";

interface Given extends ComponentProps<"button"> {
  look?: "solid" | "ghost" | "plain";
  large?: boolean;
  /** Why it cannot be pressed; then it cannot. */
  why?: string | undefined;
  children: ReactNode;
}

export function Button({ look = "plain", large, why, className = "", children, ...rest }: Given) {
  return (
    <button
      type="button"
      className={`btn ${look === "plain" ? "" : look} ${large ? "lg" : ""} ${className}`}
      disabled={why !== undefined || rest.disabled}
      title={why ?? rest.title}
      {...rest}
    >
      {children}
    </button>
  );
}

/** Only a picture: its label is its name. */
export function IconButton({ label, children, className = "", ...rest }: ComponentProps<"button"> & { label: string }) {
  return (
    <button type="button" className={`ib ${className}`} aria-label={label} title={label} {...rest}>
      {children}
    </button>
  );
}

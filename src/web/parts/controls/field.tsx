/** A field of a form with its label above it. What is written into is the child: an input, a select, a textarea of the class `form-input`. */
import type { ReactNode } from "react";

export function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the child is the control
    <label className="form-field">
      <span>{label}</span>
      {children}
    </label>
  );
}

/**
 * The head of an approval. No text of an agent can look like it: markdown makes neither its stripes nor its sign, and no other card has a head
 * like this. Who asks and for what is said by the page, from the call itself.
 */
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

export function ApprovalMark({ tool, children }: { tool: string; children?: ReactNode }) {
  return (
    <header className="approval">
      <Icon name="shield" />
      <b>Approval</b>
      <span className="ell">
        to use <span className="mono">{tool}</span>
      </span>
      <span className="grow" />
      {children}
    </header>
  );
}

/**
 * The head of an approval. No text of an agent can look like it: markdown makes neither its stripes nor its sign, and no other card has a head
 * like this. Who asks and for what is said by the page, from the call itself.
 */
import type { ReactNode } from "react";
import { Icon } from "../controls/icon.tsx";

interface Props {
  /** The tool that the call is of; or the host that a command wants to reach. */
  tool?: string | undefined;
  host?: string | undefined;
  children?: ReactNode;
}

export function ApprovalMark({ tool, host, children }: Props) {
  return (
    <header className="approval">
      <Icon name="shield" />
      <b>Approval</b>
      <span className="ell">
        {host === undefined ? "to use" : "to reach"} <span className="mono">{host ?? tool}</span>
      </span>
      <span className="grow" />
      {children}
    </header>
  );
}

/** What the daemon says of an untrusted home; nothing otherwise. */
import { useEffect, useState } from "react";
import { useClient, useLink } from "./hooks.ts";

export function useUntrusted(): string | undefined {
  const client = useClient();
  const { ready } = useLink();
  const [untrusted, setUntrusted] = useState<string>();
  useEffect(() => {
    let over = false;
    // Asked again when the daemon comes back: by then it may be trusted.
    if (ready)
      client.status().then(
        (status) => !over && setUntrusted(status.untrusted),
        () => undefined, // the line about the link says that it is not there
      );
    return () => {
      over = true;
    };
  }, [client, ready]);
  return untrusted;
}

/** One line while the home is one that nobody has trusted: nothing in it works, and what the person can do about it. */
import { useEffect, useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { WithCommands } from "../parts/with-commands.tsx";
import { useClient, useLink } from "../store/hooks.ts";

export function TrustBar() {
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
  if (!untrusted) return null;
  return (
    <div className="link-bar" role="alert">
      <Icon name="alert" size={14} />
      <span>
        <WithCommands text={untrusted} />
      </span>
    </div>
  );
}

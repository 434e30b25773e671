/** A bar shown while the home is untrusted: nothing in it runs, and what the person can do. */
import { Icon } from "../parts/icon.tsx";
import { WithCommands } from "../parts/with-commands.tsx";
import { useUntrusted } from "../store/untrusted.ts";

export function TrustBar() {
  const untrusted = useUntrusted();
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

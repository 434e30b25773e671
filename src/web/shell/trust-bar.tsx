/** A bar about the home, on every page: nothing in it runs because it is untrusted, or its config cannot be read; and what the person can do. */
import { Icon } from "../parts/controls/icon.tsx";
import { WithCommands } from "../parts/text/with-commands.tsx";
import { useHomeNotice } from "../store/untrusted.ts";

export function TrustBar() {
  const { untrusted, config_problem } = useHomeNotice();
  const text = untrusted ?? (config_problem && `${config_problem}; the previous settings apply until it is fixed`);
  if (!text) return null;
  return (
    <div className="link-bar" role="alert">
      <Icon name="alert" size={14} />
      <span>
        <WithCommands text={text} />
      </span>
    </div>
  );
}

/** A bar that says when the page is offline and may be out of date. */

import { useEffect, useState } from "react";
import { shellLine, showCommands } from "../../lib/command-line.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { clock } from "../parts/text/words.ts";
import { after } from "../platform.ts";
import { useLink } from "../store/hooks.ts";

/** A short loss is nobody's business. */
const patienceMs = 700;

export function LinkBar() {
  const { status, since, problem } = useLink();
  const [late, setLate] = useState(false);
  const away = status === "offline" || status === "closed";
  useEffect(() => {
    if (!away) return setLate(false);
    return after(patienceMs, () => setLate(true));
  }, [away]);
  if (!away || !late) return null;
  return (
    <div className="link-bar" role="status">
      <Icon name="alert" size={14} />
      {status === "closed" ? (
        <span>
          {problem?.code === "unauthorized"
            ? "Your session has expired."
            : problem
              ? showCommands(problem.message)
              : "The connection was closed."}{" "}
          Open a new window with <code className="mono">{shellLine("open")}</code>, or{" "}
          <button type="button" className="lnk" onClick={() => location.reload()}>
            reload
          </button>
          .
        </span>
      ) : (
        <span>
          Offline since {clock(new Date(since).toISOString())}. What you see may be old; it catches up by itself.
        </span>
      )}
    </div>
  );
}

/** Stop: always one click away, and it says what happens to each one's work before it does it. Pause is the milder way. */
import { useEffect, useState } from "react";
import type { Summary } from "../../api/agents.ts";
import type { State } from "../../core/state.ts";
import { Avatar, whoIs } from "../parts/avatar.tsx";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { useClient } from "../store/hooks.ts";
import { Dialog } from "./dialog.tsx";
import { useKey } from "./keys.tsx";
import { whatHappens } from "./stop-words.ts";
import { useToasts } from "./toasts.tsx";

const asked = "agiraph:stop";
/** By an event: the sheet belongs to the header of the agent that is looked at. */
export const openStop = (): void => void dispatchEvent(new CustomEvent(asked));

const resumable = new Set(["paused", "stopped"]);
const stoppable = new Set(["idle", "working", "waiting_for_human", "paused"]);

export function Stop({ summary, state }: { summary: Summary; state: State | undefined }) {
  const { id: agent, status } = summary;
  const client = useClient();
  const { attempt } = useToasts();
  const [asking, setAsking] = useState(false);
  const can = stoppable.has(status);
  useKey("mod+.", "Stop", () => (can ? setAsking(true) : false));
  useEffect(() => {
    const show = () => setAsking(true);
    if (!can) return;
    addEventListener(asked, show);
    return () => removeEventListener(asked, show);
  }, [can]);
  const act = (what: "stopAgent" | "pauseAgent" | "resumeAgent") => {
    setAsking(false);
    void attempt(client[what]({ params: { agent }, body: {} }));
  };
  if (resumable.has(status))
    return (
      <Button className="stop" onClick={() => act("resumeAgent")}>
        <Icon name="play" size={12} className="go" />
        Go on
      </Button>
    );
  const lines = state ? whatHappens(state) : [];
  return (
    <>
      <Button
        className="stop"
        onClick={() => setAsking(true)}
        disabled={!can}
        title={can ? "Stop, after saying what it will do" : `Nothing runs: it is ${status}`}
      >
        <Icon name="stop" size={12} />
        Stop
      </Button>
      <Dialog open={asking} label={`Stop ${agent}`} close={() => setAsking(false)} className="ask-stop">
        <h2>Stop {agent}?</h2>
        {lines.length === 0 ? (
          <p>Nobody is at work. No turn begins until you let it go on or say something.</p>
        ) : (
          <ul className="now">
            {lines.map(({ id, node, text }) => (
              <li key={id}>
                <Avatar who={whoIs(state, id)} size={22} />
                <b>{whoIs(state, id).name}</b>
                <span className="n">{node ?? ""}</span>
                <p>{text}</p>
              </li>
            ))}
          </ul>
        )}
        <p>All files are kept. You can go on later from here.</p>
        <div className="dialog-f">
          <Button look="ghost" onClick={() => setAsking(false)}>
            Keep going
          </Button>
          <span className="grow" />
          {status === "paused" ? null : (
            <Button onClick={() => act("pauseAgent")} title="Turns under way go to their end; no other begins">
              <Icon name="pause" size={12} />
              Pause instead
            </Button>
          )}
          <Button look="solid" onClick={() => act("stopAgent")} autoFocus>
            Stop {state?.run?.id ?? "now"}
            <kbd>↵</kbd>
          </Button>
        </div>
      </Dialog>
    </>
  );
}

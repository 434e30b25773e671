/**
 * Stop and Pause: always one click away. Before anything is pressed the sheet says what would end, as the daemon finds it by the rules of the
 * stop itself (core/agent/preview.ts); it is asked again while the agent moves on. Enter presses nothing that ends work.
 */
import { useEffect, useState } from "react";
import type { StopPreview, Summary } from "../../api/agents.ts";
import type { State } from "../../core/state.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import { Problem } from "../../schema/problem.ts";
import { Button, IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { nodeLook, StatusDot } from "../parts/status/status.tsx";
import { useClient } from "../store/hooks.ts";
import { isLeaderless } from "../store/main-thread.ts";
import { Dialog } from "./dialog.tsx";
import { keyMap } from "./key-map.tsx";
import { useKey } from "./keys.tsx";
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
  useKey(keyMap.stop, () => (can ? setAsking(true) : false));
  useEffect(() => {
    const show = () => setAsking(true);
    if (!can) return;
    addEventListener(asked, show);
    return () => removeEventListener(asked, show);
  }, [can]);
  // An agent that came to its end has closed the sheet; when it begins again, nobody has asked.
  useEffect(() => {
    if (!can) setAsking(false);
  }, [can]);
  const act = (what: "stopAgent" | "pauseAgent" | "resumeAgent") => {
    setAsking(false);
    void attempt(client[what]({ params: { agent }, body: {} }));
  };
  return (
    <>
      {resumable.has(status) ? (
        <>
          <Button
            className="stop"
            onClick={() => act("resumeAgent")}
            title={
              status === "paused"
                ? "Continue where it was paused"
                : isLeaderless(state)
                  ? "Open the run again. It ends when everyone is idle: say in the channel what to restart"
                  : "Wake the coordinator: it is told what was stopped and decides what to restart"
            }
          >
            <Icon name="play" size={12} className="go" />
            Resume
          </Button>
          {status === "paused" ? (
            <IconButton label="Stop, after showing what it would end" onClick={() => setAsking(true)}>
              <Icon name="stop" size={12} />
            </IconButton>
          ) : null}
        </>
      ) : (
        <Button
          className="stop"
          onClick={() => setAsking(true)}
          disabled={!can}
          title={can ? "Pause or stop, after showing what it would do" : `Nothing is running: it is ${status}`}
        >
          <Icon name="stop" size={12} />
          Stop
        </Button>
      )}
      <Dialog open={asking && can} label={`Stop ${agent}`} close={() => setAsking(false)} className="ask-stop">
        <Sheet summary={summary} state={state} act={act} close={() => setAsking(false)} />
      </Dialog>
    </>
  );
}

interface SheetProps {
  summary: Summary;
  state: State | undefined;
  act(what: "stopAgent" | "pauseAgent"): void;
  close(): void;
}

function Sheet({ summary: { id: agent, seq, run, status }, state, act, close }: SheetProps) {
  const { preview, problem } = usePreview(agent, seq);
  return (
    <>
      <h2>Stop {agent}?</h2>
      {preview ? (
        <>
          <ul className="ends" aria-label="What ends">
            {preview.words.ends.map(({ what, text }) => (
              <li key={text}>
                <b>{text}</b>
                <Rows what={what} preview={preview} state={state} />
              </li>
            ))}
          </ul>
          <p>{preview.words.kept}</p>
          <p>{preview.words.later}</p>
          {status === "paused" ? null : <p className="instead">{preview.words.pause}</p>}
        </>
      ) : (
        <p role="status">{problem ?? "Checking what would end…"}</p>
      )}
      <div className="dialog-f">
        <Button look="ghost" onClick={close} autoFocus>
          Keep going
        </Button>
        <span className="grow" />
        <Button
          className="danger"
          onClick={() => act("stopAgent")}
          disabled={!preview}
          title={preview ? "Ends what is listed above" : "Still checking what would end"}
        >
          <Icon name="stop" size={12} />
          Stop {run ?? "now"}
        </Button>
        {status === "paused" ? null : (
          <Button look="solid" onClick={() => act("pauseAgent")} title="Current turns finish; no new ones start">
            <Icon name="pause" size={12} />
            Pause instead
          </Button>
        )}
      </div>
    </>
  );
}

const mostRows = 5;

function Rows({ what, preview, state }: { what: string; preview: StopPreview; state: State | undefined }) {
  const rows = rowsOf(what, preview, state);
  if (rows.length === 0) return null;
  return (
    <ul>
      {rows.slice(0, mostRows)}
      {rows.length > mostRows ? <li className="dim">and {rows.length - mostRows} more</li> : null}
    </ul>
  );
}

function rowsOf(what: string, { nodes, questions, turns }: StopPreview, state: State | undefined) {
  const name = (id: string) => whoIs(state, id).name;
  if (what === "nodes")
    return nodes.map(({ node, name: title, status, worker }) => (
      <li key={node}>
        <StatusDot look={nodeLook(status).look} word={nodeLook(status).word} />
        <span className="ell">{visibleLine(title)}</span>
        <span className="n">{worker ? name(worker) : nodeLook(status).word}</span>
      </li>
    ));
  if (what === "questions")
    return questions.map(({ question, by, text }) => (
      <li key={question}>
        <Avatar who={whoIs(state, by)} size={16} />
        <span className="ell">{visibleLine(text)}</span>
        <span className="n">{name(by)}</span>
      </li>
    ));
  if (what === "turns")
    return turns.map(({ participant, tools }) => (
      <li key={participant}>
        <Avatar who={whoIs(state, participant)} size={16} />
        <span className="ell">{name(participant)}</span>
        <span className="n">{tools.length ? `${tools.join(", ")} is ended` : "thinks"}</span>
      </li>
    ));
  return [];
}

interface Known {
  preview?: StopPreview;
  problem?: string;
}

/** Asked again when the agent moved on, one at a time; what was known stays until then. */
function usePreview(agent: string, seq: number): Known {
  const client = useClient();
  const [known, setKnown] = useState<Known>({});
  const [asking, setAsking] = useState<number>();
  const [knownAt, setKnownAt] = useState<number>();
  useEffect(() => {
    if (asking !== undefined || knownAt === seq) return;
    setAsking(seq);
    client
      .previewStop({ params: { agent } })
      .then((preview) => setKnown({ preview }))
      .catch((error) => setKnown({ problem: error instanceof Problem ? error.message : String(error) }))
      .finally(() => {
        setKnownAt(seq);
        setAsking(undefined);
      });
  }, [client, agent, seq, asking, knownAt]);
  return known;
}

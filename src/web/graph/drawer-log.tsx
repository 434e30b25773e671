/** The log of a node: messages, turns with their tool calls, and its events. */
import { messagesAbout } from "../../api/board-view.ts";
import { money } from "../../lib/text/amounts.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { Avatar, whoIs } from "../parts/status/avatar.tsx";
import { Time } from "../parts/text/time.tsx";
import { clockToSecond, plural } from "../parts/text/words.ts";
import { useEvents } from "../store/hooks.ts";
import type { DrawerSubject } from "./drawer.tsx";
import { concerns, eventText } from "./event-text.ts";

export function Messages({ state, node }: DrawerSubject) {
  const messages = messagesAbout(state, node);
  if (!messages.length) return <p className="dim">No messages about this node.</p>;
  return (
    <ul className="says">
      {messages.map(({ id, from, to, text, at }) => (
        <li key={id}>
          <Avatar who={whoIs(state, from)} size={20} />
          <div>
            <div className="says-h">
              <b>{whoIs(state, from).name}</b>
              <span className="dim">to {to.map((one) => whoIs(state, one).name).join(", ")}</span>
              <span className="grow" />
              <Time at={at} />
            </div>
            <p>{text}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

export function Log({ whole, past }: DrawerSubject) {
  if (past) return <p className="dim">Turns are listed for now only; History has what had happened by then.</p>;
  if (whole && !whole.turns.length) return <p className="dim">No turns yet.</p>;
  return (
    <ol className="turns">
      {whole?.turns.map(({ turn, at, said, tools, cost, failed }) => (
        <li key={turn}>
          <div className="says-h">
            <Time at={at} />
            <span className="grow" />
            {cost && cost.usd > 0 ? <span className="dim num">{money(cost.usd)}</span> : null}
          </div>
          {said ? <p>{said}</p> : null}
          {failed ? <p className="failed">{failed}</p> : null}
          {tools.map(({ tool, outcome }, index) => (
            <div key={index} className={`call ${outcome ? "" : "live"}`}>
              <Icon name="term" size={14} />
              <span className="mono">{tool}</span>
              <span className="end">{outcome ?? "runs"}</span>
            </div>
          ))}
        </li>
      ))}
    </ol>
  );
}

export function History({ agent, state, node }: DrawerSubject) {
  const { events, more, earlier } = useEvents(agent);
  const own = events.filter((event) => event.seq <= state.seq && concerns(event, node.id));
  return (
    <>
      {more ? (
        <button type="button" className="lnk" onClick={() => void earlier()}>
          Search further back
        </button>
      ) : null}
      <ol className="past">
        {own.map((event) => (
          <li key={event.seq}>
            <span className="dim num" title={event.ts}>
              {clockToSecond(event.ts)}
            </span>
            <span>{eventText(event, state)}</span>
          </li>
        ))}
      </ol>
      <p className="dim small">{plural(own.length, "event")}</p>
    </>
  );
}

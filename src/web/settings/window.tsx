/** This window: its theme, notifications, and the sessions of all browsers that are signed in. */

import { useState } from "react";
import { shellLine } from "../../lib/command-line.ts";
import { Button } from "../parts/controls/button.tsx";
import { Age, Time } from "../parts/text/time.tsx";
import { clock, day } from "../parts/text/words.ts";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import { type NotificationStatus, notificationStatus, setNotifications } from "../store/notify.ts";
import { useKept } from "../store/persisted-state.ts";
import { chosenTheme, setTheme } from "../store/theme.ts";
import { browserWords } from "./browser-words.ts";
import { Section, Trouble, useAnswer } from "./section.tsx";

export function Window() {
  const [theme] = useKept(chosenTheme);
  return (
    <Section title="This window" note="kept in this browser">
      <div className="settings-row">
        <b>Theme</b>
        <fieldset className="seg" aria-label="Theme">
          {(["light", "dark", "system"] as const).map((one) => (
            <button
              key={one}
              type="button"
              className={one === theme ? "on" : ""}
              aria-pressed={one === theme}
              onClick={() => setTheme(one)}
            >
              {{ light: "Light", dark: "Dark", system: "System" }[one]}
            </button>
          ))}
        </fieldset>
        <p>The button below the sidebar switches as well.</p>
      </div>
      <Notify />
    </Section>
  );
}

const words: Record<NotificationStatus, string> = {
  on: "You get a notification when an agent asks, finishes or gets stuck while you are elsewhere.",
  off: "Get a notification when an agent asks, finishes or gets stuck while you are elsewhere. The browser asks for permission once.",
  denied: "Notifications are blocked in this browser's settings for this page.",
  missing: "This browser does not support notifications.",
};

function Notify() {
  const [state, setState] = useState<NotificationStatus>(notificationStatus);
  const possible = state === "on" || state === "off";
  return (
    <div className="settings-row">
      <b id="notify">Notifications</b>
      <button
        type="button"
        role="switch"
        className="switch"
        aria-checked={state === "on"}
        aria-labelledby="notify"
        disabled={!possible}
        title={possible ? undefined : words[state]}
        onClick={() => void setNotifications(state !== "on").then(setState)}
      >
        <i />
      </button>
      <p>{words[state]}</p>
    </div>
  );
}

export function Windows() {
  const client = useClient();
  const { attempt } = useToasts();
  const { answer, problem, again } = useAnswer((client) => client.listSessions());
  const shut = async (session: string) => {
    await attempt(client.endSession({ params: { session } }));
    again();
  };
  return (
    <Section title="Sessions" note={answer ? String(answer.items.length) : ""}>
      {problem ? <Trouble problem={problem} again={again} /> : null}
      {newest(answer?.items ?? []).map(({ id, browser, opened_at, seen_at, expires_at, here }) => (
        <div key={id} className="settings-row">
          <b title={browser}>
            {browserWords(browser)}{" "}
            {here ? <span className="chip">this one</span> : <span className="mono dim">{id.slice(0, 6)}</span>}
          </b>
          {here ? (
            <span />
          ) : (
            <Button
              onClick={() => void shut(id)}
              aria-label={`End session of ${browserWords(browser)} of ${day(opened_at)}, ${clock(opened_at)}`}
            >
              End session
            </Button>
          )}
          <p>
            Signed in on {day(opened_at)} at <Time at={opened_at} />, last seen{" "}
            {here ? (
              "now"
            ) : (
              <>
                <Age since={seen_at} /> ago
              </>
            )}
            , expires at <Time at={expires_at} />
          </p>
        </div>
      ))}
      <p className="settings-note">
        To sign in another browser, run <code className="mono">{shellLine("open")}</code>: its code works once, within a
        minute. Programs use the token in daemon.json of the home, which changes with each start of the daemon.
      </p>
    </Section>
  );
}

/** This one first, then who was seen last. */
const newest = <T extends { here: boolean; seen_at: string }>(items: readonly T[]): T[] =>
  items.toSorted((a, b) => Number(b.here) - Number(a.here) || (a.seen_at < b.seen_at ? 1 : -1));

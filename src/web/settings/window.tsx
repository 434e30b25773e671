/** This window: how it looks, whether the system tells, and the other windows that are let in. */

import { useState } from "react";
import { shellLine } from "../../lib/command-line.ts";
import { Button } from "../parts/button.tsx";
import { type Telling, tell, telling } from "../parts/notify.ts";
import { Age, Time } from "../parts/time.tsx";
import { clock, day } from "../parts/words.ts";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";
import { browserWords } from "./browser-words.ts";
import { Section, Trouble, useAnswer } from "./section.tsx";

type Theme = "light" | "dark" | "system";
const themeKey = "agiraph.theme";

export function Window() {
  const kept = localStorage.getItem(themeKey);
  const [theme, setTheme] = useState<Theme>(kept === "light" || kept === "dark" ? kept : "system");
  const choose = (next: Theme) => {
    setTheme(next);
    if (next === "system") localStorage.removeItem(themeKey);
    else localStorage.setItem(themeKey, next);
    const dark = next === "dark" || (next === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  };
  return (
    <Section title="This window" note="kept in this browser">
      <div className="set-r">
        <b>Theme</b>
        <fieldset className="seg" aria-label="Theme">
          {(["light", "dark", "system"] as const).map((one) => (
            <button
              key={one}
              type="button"
              className={one === theme ? "on" : ""}
              aria-pressed={one === theme}
              onClick={() => choose(one)}
            >
              {{ light: "Light", dark: "Dark", system: "As the system" }[one]}
            </button>
          ))}
        </fieldset>
        <p>Dark and light; the button below the sidebar switches, too.</p>
      </div>
      <Notify />
    </Section>
  );
}

const words: Record<Telling, string> = {
  on: "When an agent asks, ends or stands still while you look elsewhere, the system tells you.",
  off: "The system can tell you when an agent asks, ends or stands still while you look elsewhere. The browser asks you once.",
  denied: "The browser was told to show none; its own settings for this page change that.",
  missing: "This browser cannot show any.",
};

function Notify() {
  const [state, setState] = useState<Telling>(telling);
  const possible = state === "on" || state === "off";
  return (
    <div className="set-r">
      <b id="notify">Notifications</b>
      <button
        type="button"
        role="switch"
        className="switch"
        aria-checked={state === "on"}
        aria-labelledby="notify"
        disabled={!possible}
        title={possible ? undefined : words[state]}
        onClick={() => void tell(state !== "on").then(setState)}
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
    <Section title="Browsers that are let in" note={answer ? String(answer.items.length) : ""}>
      {problem ? <Trouble problem={problem} again={again} /> : null}
      {newest(answer?.items ?? []).map(({ id, browser, opened_at, seen_at, expires_at, here }) => (
        <div key={id} className="set-r">
          <b title={browser}>
            {browserWords(browser)}{" "}
            {here ? <span className="chip">this one</span> : <span className="mono dim">{id.slice(0, 6)}</span>}
          </b>
          {here ? (
            <span />
          ) : (
            <Button
              onClick={() => void shut(id)}
              aria-label={`Shut out ${browserWords(browser)} of ${day(opened_at)}, ${clock(opened_at)}`}
            >
              Shut out
            </Button>
          )}
          <p>
            Let in on {day(opened_at)} at <Time at={opened_at} />, last seen{" "}
            {here ? (
              "now"
            ) : (
              <>
                <Age since={seen_at} /> ago
              </>
            )}
            , until <Time at={expires_at} />
          </p>
        </div>
      ))}
      <p className="set-n">
        A new one needs a code from <code className="mono">{shellLine("open")}</code>, good once and for a minute.
        Programs come with the token in daemon.json of the home; it is another one after each start.
      </p>
    </Section>
  );
}

/** This one first, then who was seen last. */
const newest = <T extends { here: boolean; seen_at: string }>(items: readonly T[]): T[] =>
  items.toSorted((a, b) => Number(b.here) - Number(a.here) || (a.seen_at < b.seen_at ? 1 : -1));

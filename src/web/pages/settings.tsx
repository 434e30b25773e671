/** How this window looks and tells, its keys, the daemon behind it, and what was found on its machine. */
import { type ReactNode, useEffect, useState } from "react";
import type { Finding } from "../../api/doctor.ts";
import type { Client } from "../../client/index.ts";
import { Problem } from "../../schema/problem.ts";
import { Button } from "../parts/button.tsx";
import { type Look, StatusDot } from "../parts/status.tsx";
import { duration, money } from "../parts/words.ts";
import { PageHeader } from "../shell/header.tsx";
import { useClient, useLink, useNow } from "../store/hooks.ts";

export function Page() {
  return (
    <>
      <PageHeader title="Settings" />
      <div className="page">
        <Window />
        <Daemon />
        <Found />
        <KeyMap />
      </div>
    </>
  );
}

function Section({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="mb-5">
      <div className="sec-t">
        <h2>{title}</h2>
        {note ? <span>{note}</span> : null}
      </div>
      <div className="card">{children}</div>
    </section>
  );
}

type Theme = "light" | "dark" | "system";
const themeKey = "agiraph.theme";

function Window() {
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

function Notify() {
  const [state, setState] = useState<string>(typeof Notification === "undefined" ? "missing" : Notification.permission);
  const words: Record<string, string> = {
    missing: "This browser cannot show any.",
    denied: "The browser was told to show none; its own settings for this page change that.",
    default: "When an agent asks something and you look elsewhere, the browser can tell you.",
    granted:
      "When an agent asks something and you look elsewhere, the browser tells you. Its own settings turn that off.",
  };
  return (
    <div className="set-r">
      <b>Notifications</b>
      {state === "default" ? (
        <Button onClick={() => void Notification.requestPermission().then(setState)}>Allow</Button>
      ) : (
        <span className="dim">{state === "granted" ? "on" : "not possible"}</span>
      )}
      <p>{words[state]}</p>
    </div>
  );
}

/** Asked for once, and again by hand. */
function useAnswer<T>(ask: (client: Client) => Promise<T>): { answer?: T; problem?: Problem; again(): void } {
  const client = useClient();
  const [found, setFound] = useState<{ answer?: T; problem?: Problem }>({});
  const [time, setTime] = useState(0);
  useEffect(() => {
    let over = false;
    ask(client).then(
      (answer) => !over && setFound({ answer }),
      (error: unknown) =>
        !over && setFound({ problem: error instanceof Problem ? error : new Problem("unreachable", String(error)) }),
    );
    return () => {
      over = true;
    };
  }, [client, time]);
  return {
    ...found,
    again() {
      setFound({});
      setTime(time + 1);
    },
  };
}

function Trouble({ problem, again }: { problem: Problem; again(): void }) {
  return (
    <div className="set-r" role="alert">
      <span className="wrong">{problem.message}</span>
      <Button onClick={again}>Try again</Button>
    </div>
  );
}

function Daemon() {
  const { answer, problem, again } = useAnswer((client) => client.status());
  const { status: link } = useLink();
  const now = useNow();
  const agents = Object.entries(answer?.agents ?? {})
    .map(([status, count]) => `${count} ${status.replaceAll("_", " ")}`)
    .join(", ");
  return (
    <Section title="The daemon" note={link === "live" ? "connected" : link}>
      {problem ? <Trouble problem={problem} again={again} /> : null}
      {answer ? (
        <dl className="kv pad">
          <dt>Version</dt>
          <dd>{answer.version}</dd>
          <dt>Address</dt>
          <dd className="mono">{location.origin}</dd>
          <dt>Up</dt>
          <dd>{duration(now - Date.parse(answer.started_at))}</dd>
          <dt>Process</dt>
          <dd>
            {answer.pid}, {answer.memory_mb} MB
          </dd>
          <dt>Home</dt>
          <dd className="mono">{answer.home}</dd>
          <dt>Agents</dt>
          <dd>{agents || "none yet"}</dd>
          <dt>Today</dt>
          <dd>{money(answer.spent_today.usd)} spent</dd>
          {answer.faults.map(({ agent, message }) => [
            <dt key={`${agent} dt`} className="wrong">
              {agent}
            </dt>,
            <dd key={agent} className="wrong">
              {message}
            </dd>,
          ])}
        </dl>
      ) : problem ? null : (
        <p className="pad dim">Asking…</p>
      )}
    </Section>
  );
}

const looks: Record<Finding["state"], { look: Look; word: string }> = {
  fine: { look: "done", word: "Fine" },
  note: { look: "pending", word: "To know" },
  wrong: { look: "failed", word: "Wrong" },
};

function Found() {
  const { answer, problem, again } = useAnswer((client) => client.doctor());
  const wrong = answer?.findings.filter(({ state }) => state === "wrong").length ?? 0;
  const note = answer ? (wrong ? `${wrong} to mend` : "everything needed is there") : "";
  return (
    <Section title="What was found" note={note}>
      {problem ? <Trouble problem={problem} again={again} /> : null}
      {answer?.findings.map(({ what, state, found, remedy }) => (
        <div key={what} className="fd">
          <StatusDot {...looks[state]} />
          <b>{what}</b>
          <span>{found}</span>
          {remedy ? <p>{remedy}</p> : null}
        </div>
      ))}
      {answer ? (
        <div className="set-r">
          <p>Keys are named, never shown. A model is not asked here.</p>
          <Button onClick={again}>Look again</Button>
        </div>
      ) : problem ? null : (
        <p className="pad dim">Looking at the machine…</p>
      )}
    </Section>
  );
}

const everywhere: [string, string][] = [
  ["⌘ K", "Search and commands"],
  ["N", "Needs you"],
  ["T G L", "Talk, Graph, Timeline of an agent"],
  ["C", "New agent"],
  ["J K", "Next, previous"],
  ["1 … 9", "Choose an option"],
  ["↵", "Open, answer, send"],
  ["R", "Answer in your own words"],
  ["Y D", "Allow, deny a call"],
  ["S", "Snooze"],
  ["X A", "Select, approve selected"],
  ["O", "Open in Talk"],
  ["/", "Find on this page"],
  ["E ⌘S", "Edit, save a file"],
  ["⌘ .", "Stop, after saying what it will do"],
  ["Esc", "Close"],
];

function KeyMap() {
  return (
    <Section title="Keys" note="? shows them everywhere">
      <div className="set-k">
        {everywhere.map(([keys, does]) => (
          <div key={does}>
            <span>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </span>
            <span>{does}</span>
          </div>
        ))}
      </div>
    </Section>
  );
}

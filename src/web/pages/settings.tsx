/** How this window looks and tells, the keys, the daemon behind it, what it thinks with, and what was found on its machine. */
import { Daemon, Doctor, Models } from "../settings/daemon.tsx";
import { Section } from "../settings/section.tsx";
import { Window, Windows } from "../settings/window.tsx";
import { PageHeader } from "../shell/header.tsx";

export function Page() {
  return (
    <>
      <PageHeader title="Settings" icon="gear" sub="and doctor" />
      <div className="page">
        <Window />
        <Models />
        <Doctor />
        <Daemon />
        <Windows />
        <KeyMap />
      </div>
    </>
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

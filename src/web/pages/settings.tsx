/** Settings: this window, models, the doctor, the daemon, sessions and keys. */
import { Daemon, Doctor, Models } from "../settings/daemon.tsx";
import { Section } from "../settings/section.tsx";
import { Window, Windows } from "../settings/window.tsx";
import { PageHeader } from "../shell/header.tsx";
import { KeyCaps, keyGroups } from "../shell/key-map.tsx";

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

function KeyMap() {
  return (
    <Section title="Keys" note="? shows them everywhere">
      <div className="settings-keys">
        {keyGroups.flatMap(([, keys]) =>
          keys.map((key) => (
            <div key={key.does}>
              <span>
                <KeyCaps of={key} />
              </span>
              <span>{key.does}</span>
            </div>
          )),
        )}
      </div>
    </Section>
  );
}

/** Who a new agent is: a text of the user's own, or a template to begin with. */
import { useEffect, useState } from "react";
import type { SoulTemplate } from "../../api/souls.ts";
import { useClient } from "../store/hooks.ts";

export function SoulField({ soul, change }: { soul: string; change(next: string): void }) {
  const client = useClient();
  const [templates, setTemplates] = useState<readonly SoulTemplate[]>([]);
  // Without templates a soul can still be written.
  useEffect(() => {
    client.listSouls().then(
      ({ items }) => setTemplates(items),
      () => setTemplates([]),
    );
  }, [client]);
  const chosen = templates.find(({ text }) => text === soul)?.name ?? "";
  return (
    <div className="soul-f">
      <label>
        <span>Who it is</span>
        <select
          aria-label="Template for the soul"
          value={chosen}
          onChange={({ target }) => change(templates.find(({ name }) => name === target.value)?.text ?? "")}
        >
          <option value="">{soul && !chosen ? "your own text" : "a careful colleague (default)"}</option>
          {templates.map(({ name, about }) => (
            <option key={name} value={name}>
              {name.replaceAll("-", " ")}: {about}
            </option>
          ))}
        </select>
      </label>
      <textarea
        aria-label="Soul"
        value={soul}
        maxLength={20_000}
        rows={soul ? 6 : 2}
        placeholder="Character, habits and principles that hold for everything it works on. You can change them later."
        onChange={({ target }) => change(target.value)}
      />
    </div>
  );
}

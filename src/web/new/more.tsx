/** Settings that are seldom needed: name, tools, context window, soul. */
import type { Draft } from "./draft.ts";
import { SoulField } from "./soul-field.tsx";

export function More({ draft, change }: { draft: Draft; change(next: Partial<Draft>): void }) {
  return (
    <section className="sheet more" id="new-more" aria-label="Further settings">
      <label>
        <span>Name</span>
        <input
          value={draft.name}
          maxLength={200}
          placeholder="from the goal"
          onChange={(event) => change({ name: event.target.value })}
        />
      </label>
      <label>
        <span>Only these tools</span>
        <input
          className="mono"
          value={draft.tools}
          placeholder="all of them; or web_search, web_fetch"
          spellCheck={false}
          autoCapitalize="off"
          onChange={(event) => change({ tools: event.target.value })}
        />
      </label>
      <label>
        <span>Context window, tokens</span>
        <input
          inputMode="numeric"
          value={draft.window}
          placeholder="the model's own; at least 16000"
          onChange={(event) => change({ window: event.target.value.replace(/[^\d]/g, "") })}
        />
      </label>
      <SoulField soul={draft.soul} change={(soul) => change({ soul })} />
    </section>
  );
}

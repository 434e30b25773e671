/** What was found on this machine, and how to add what was not. No key is ever shown, only where it came from. */
import type { Offer } from "../../api/models.ts";
import { Icon } from "../parts/icon.tsx";
import { StatusDot } from "../parts/status.tsx";
import { plural } from "../parts/words.ts";

interface Thing {
  id: string;
  name: string;
  icon: string;
  there: boolean;
  about: string;
  /** How it is added. */
  how: string;
}

const names: Record<string, string> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  google: "Google",
  openrouter: "OpenRouter",
};
const programs: Record<string, string> = {
  claude: "Claude Code",
  codex: "Codex CLI",
  gemini: "Gemini CLI",
  opencode: "OpenCode",
};

export function Found({ offer }: { offer: Offer }) {
  return (
    <section className="found" aria-label="Found on this machine">
      <h3>
        Found on this machine <span className="dim">{offer.model ? "Nothing was sent anywhere" : offer.why}</span>
      </h3>
      <ul className="card">
        {things(offer).map(({ id, name, icon, there, about, how }) => (
          <li key={id}>
            <span className={`found-i ${there ? "" : "off"}`}>
              <Icon name={icon} />
            </span>
            <div className="grow">
              <b>{name}</b>
              <p>{about}</p>
            </div>
            {there ? (
              <StatusDot look="done" size={16} word="Ready" />
            ) : (
              <details>
                <summary className="btn">How to add</summary>
                <pre className="mono">{how}</pre>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function things({ providers, models, ollama, programs: found }: Offer): Thing[] {
  const keyed = providers
    .filter(
      ({ provider, key_variables }) =>
        provider !== "ollama" && (key_variables.length > 0 || models.some((one) => one.provider === provider)),
    )
    .map(({ provider, ready, key_from, key_variables }): Thing => {
      const count = models.filter((one) => one.provider === provider).length;
      return {
        id: provider,
        name: names[provider] ?? provider,
        icon: "key",
        there: ready,
        about: ready ? `${key_from ? `Key from ${key_from}` : "No key needed"}, ${plural(count, "model")}` : "No key",
        how: `export ${key_variables[0] ?? "API_KEY"}=…\nagiraph stop && agiraph up`,
      };
    });
  const local: Thing = {
    id: "ollama",
    name: "Ollama",
    icon: "chip",
    there: Boolean(ollama?.length),
    about:
      ollama === null
        ? "Does not answer"
        : ollama.length
          ? `${ollama[0]}${ollama.length > 1 ? ` and ${ollama.length - 1} more` : ""}, no cost`
          : "Has no model",
    how: ollama === null ? "curl -fsSL https://ollama.com/install.sh | sh\nollama pull qwen3" : "ollama pull qwen3",
  };
  const clis = ["claude", "codex"].map(
    (id): Thing => ({
      id,
      name: programs[id] ?? id,
      icon: "term",
      there: found.includes(id),
      about: found.includes(id) ? "On the path; a worker can be one" : "Not installed",
      how: id === "claude" ? "npm install -g @anthropic-ai/claude-code" : "npm install -g @openai/codex",
    }),
  );
  return [...keyed, local, ...clis];
}

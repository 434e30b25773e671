/** Providers and agent programs as found; and how to add each. */

import type { Offer, OfferedProgram } from "../../api/models.ts";
import { shellLine } from "../../lib/command-line.ts";
import { plural } from "../parts/text/words.ts";

export interface ModelSource {
  id: string;
  name: string;
  icon: string;
  there: boolean;
  about: string;
  /** The button's name. */
  ask?: string;
  /** How it is added: lines for a terminal. Empty: nothing can be done in one. */
  how: string;
  /** What comes after that. */
  next: string;
}

const names: Record<string, string> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  google: "Google",
  openrouter: "OpenRouter",
};
const handed = "The second line passes the key to the daemon, which keeps it in memory. Then reload this page.";

/** What is there comes first. */
export function modelSources({ providers, models, ollama, programs }: Offer): ModelSource[] {
  const keyed = providers
    .filter(
      ({ provider, key_variables }) =>
        provider !== "ollama" && (key_variables.length > 0 || models.some((one) => one.provider === provider)),
    )
    .map(({ provider, ready, key_from, key_variables }): ModelSource => {
      const count = models.filter((one) => one.provider === provider).length;
      return {
        id: provider,
        name: names[provider] ?? provider,
        icon: "key",
        there: ready,
        about: ready ? `${key_from ? `Key from ${key_from}` : "No key needed"}, ${plural(count, "model")}` : "No key",
        how: `export ${key_variables[0] ?? "API_KEY"}=…\n${shellLine("up -d")}`,
        next: handed,
      };
    });
  const all = [...keyed, local(ollama), ...programs.map(ofProgram)];
  return [...all.filter(({ there }) => there), ...all.filter(({ there }) => !there)];
}

function local(ollama: Offer["ollama"]): ModelSource {
  const [first, second, ...others] = ollama ?? [];
  const some = [first, second].filter(Boolean).join(", ");
  return {
    id: "ollama",
    name: "Ollama",
    icon: "chip",
    there: first !== undefined,
    about:
      ollama === null
        ? "Not responding"
        : first
          ? `${some}${others.length ? ` and ${others.length} more` : ""}, no cost`
          : "No model installed",
    how: ollama === null ? "curl -fsSL https://ollama.com/install.sh | sh\nollama pull qwen3" : "ollama pull qwen3",
    next: "It runs on this machine and costs nothing. Reload this page once the model is downloaded.",
  };
}

function ofProgram({ name, title, state, about, remedy, command }: OfferedProgram): ModelSource {
  const isMissing = state === "missing";
  return {
    id: name,
    name: title,
    icon: "term",
    there: state === "ready",
    about: isMissing ? "Not installed" : state === "blocked" ? `${about}; ${remedy}` : about,
    ask: state === "login" ? "How to log in" : "How to add",
    how: command ?? "",
    next: isMissing
      ? "An agent program with tools of its own: it can lead a team or work in one. Log in to it or let it use your key, then reload this page."
      : `To use it, ${remedy ?? "wait a moment"}. Then reload this page.`,
  };
}

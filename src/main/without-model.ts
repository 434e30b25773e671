/** What people can do who have no model yet. */
export const withoutModel: readonly string[] = [
  "What you can do, then try again:",
  "  export ANTHROPIC_API_KEY=…     or OPENAI_API_KEY, GEMINI_API_KEY,",
  "                                 OPENROUTER_API_KEY",
  "  ollama serve                   a model on this machine",
  "  agiraph demo                   see how it works, without a model",
  "  agiraph doctor                 what was found here",
];

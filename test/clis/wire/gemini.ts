import { type Answer, textOf, used, type Wire } from "./wire.ts";

// biome-ignore lint/suspicious/noExplicitAny: it is what a CLI sends
type Any = any;

export const gemini: Wire = {
  name: "gemini",
  path: /:(stream)?generateContent(\?|$)/i,
  read: ({ systemInstruction, contents, tools = [] }: Any, path) => ({
    model: /models\/([^:]+):/.exec(path)?.[1] ?? "",
    stream: /:streamGenerateContent/.test(path),
    system: textOf(systemInstruction?.parts ?? systemInstruction),
    turns: contents.map(({ role, parts = [] }: Any) => ({
      role: role === "model" ? "model" : "user",
      text: textOf(parts),
      calls: parts.filter(({ functionCall }: Any) => functionCall).length,
    })),
    tools: tools
      .flatMap(({ functionDeclarations = [] }: Any) => functionDeclarations)
      .map(({ name, parametersJsonSchema, parameters }: Any) => ({
        name,
        schema: parametersJsonSchema ?? parameters ?? {},
      })),
  }),
  *stream(answer, asked, count) {
    yield { data: this.whole(answer, asked, count) };
  },
  whole: (answer, { model }, count) => ({
    responseId: `gemini_${count}`,
    modelVersion: model,
    candidates: [{ index: 0, content: { role: "model", parts: parts(answer) }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: used.input + used.cached,
      cachedContentTokenCount: used.cached,
      candidatesTokenCount: used.output,
      totalTokenCount: used.input + used.cached + used.output,
    },
  }),
  error: (status) => ({ error: { code: status, status: "INVALID_ARGUMENT", message: `scripted ${status}` } }),
};

function parts({ text, call }: Answer) {
  return [...(text ? [{ text }] : []), ...(call ? [{ functionCall: { name: call.name, args: call.input } }] : [])];
}

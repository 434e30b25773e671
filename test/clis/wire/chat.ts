import { type Answer, type Asked, textOf, used, type Wire } from "./wire.ts";

// biome-ignore lint/suspicious/noExplicitAny: it is what a CLI sends
type Any = any;

const usage = {
  prompt_tokens: used.input + used.cached,
  prompt_tokens_details: { cached_tokens: used.cached },
  completion_tokens: used.output,
  total_tokens: used.input + used.cached + used.output,
};

export const chat: Wire = {
  name: "chat",
  path: /\/chat\/completions(\?|$)/,
  read: ({ model, stream, messages, tools = [] }: Any) => ({
    model,
    stream: stream === true,
    system: messages
      .filter(({ role }: Any) => role === "system")
      .map(({ content }: Any) => textOf(content))
      .join("\n"),
    turns: messages
      .filter(({ role }: Any) => role !== "system")
      .map(({ role, content, tool_calls = [] }: Any) => ({
        role: role === "user" ? "user" : "model",
        text: textOf(content),
        calls: tool_calls.length,
      })),
    tools: tools.map((tool: Any) => ({ name: tool.function.name, schema: tool.function.parameters ?? {} })),
  }),
  *stream(answer, asked, count) {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      data: { ...base(asked, count), object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] },
    });
    yield chunk({ role: "assistant", content: "" });
    if (answer.text) yield chunk({ content: answer.text });
    for (const call of calls(answer, count)) yield chunk({ tool_calls: [{ index: 0, ...call }] });
    yield chunk({}, answer.call ? "tool_calls" : "stop");
    yield { data: { ...base(asked, count), object: "chat.completion.chunk", choices: [], usage } };
    yield { data: "[DONE]" };
  },
  whole: (answer, asked, count) => ({
    ...base(asked, count),
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: answer.text ?? null,
          ...(answer.call && { tool_calls: calls(answer, count) }),
        },
        finish_reason: answer.call ? "tool_calls" : "stop",
      },
    ],
    usage,
  }),
  error: (status) => ({ error: { type: "invalid_request_error", message: `scripted ${status}`, code: null } }),
};

const base = ({ model }: Asked, count: number) => ({ id: `chat_${count}`, created: 0, model });

const calls = ({ call }: Answer, count: number) =>
  call
    ? [{ id: `call_${count}`, type: "function", function: { name: call.name, arguments: JSON.stringify(call.input) } }]
    : [];

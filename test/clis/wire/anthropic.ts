import { type Answer, type Asked, textOf, used, type Wire } from "./wire.ts";

const usage = {
  input_tokens: used.input,
  output_tokens: 1,
  cache_read_input_tokens: used.cached,
  cache_creation_input_tokens: 0,
};

// biome-ignore lint/suspicious/noExplicitAny: it is what a CLI sends
type Any = any;

export const anthropic: Wire = {
  name: "anthropic",
  path: /\/v1\/messages(\?|$)/,
  read: ({ model, stream, system, messages, tools = [] }: Any) => ({
    model,
    stream: stream === true,
    system: textOf(system),
    turns: messages.map(({ role, content }: Any) => ({
      role: role === "user" ? "user" : "model",
      text: textOf(content),
      calls: Array.isArray(content) ? content.filter(({ type }) => type === "tool_use").length : 0,
    })),
    tools: tools.map(({ name, input_schema = {} }: Any) => ({ name, schema: input_schema })),
  }),
  *stream(answer, asked, count) {
    yield event("message_start", { message: { ...message(asked, count), content: [], stop_reason: null, usage } });
    for (const [index, block] of blocks(answer, count).entries()) {
      yield event("content_block_start", { index, content_block: block.empty });
      yield event("content_block_delta", { index, delta: block.delta });
      yield event("content_block_stop", { index });
    }
    yield event("message_delta", {
      delta: { stop_reason: answer.call ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: used.output },
    });
    yield event("message_stop", {});
  },
  whole: (answer, asked, count) => ({
    ...message(asked, count),
    content: blocks(answer, count).map(({ whole }) => whole),
    stop_reason: answer.call ? "tool_use" : "end_turn",
    usage: { ...usage, output_tokens: used.output },
  }),
  error: (status) => ({
    type: "error",
    error: { type: status === 401 ? "authentication_error" : "invalid_request_error", message: `scripted ${status}` },
  }),
};

const event = (type: string, data: object) => ({ event: type, data: { type, ...data } });

const message = ({ model }: Asked, count: number) => ({
  id: `msg_${count}`,
  type: "message",
  role: "assistant",
  model,
  stop_sequence: null,
});

function blocks({ text, thought, call }: Answer, count: number) {
  const found: { empty: object; delta: object; whole: object }[] = [];
  if (thought)
    found.push({
      empty: { type: "thinking", thinking: "", signature: "" },
      delta: { type: "thinking_delta", thinking: thought },
      whole: { type: "thinking", thinking: thought, signature: "" },
    });
  if (text)
    found.push({
      empty: { type: "text", text: "" },
      delta: { type: "text_delta", text },
      whole: { type: "text", text },
    });
  if (call) {
    const block = { type: "tool_use", id: `toolu_${count}`, name: call.name };
    found.push({
      empty: { ...block, input: {} },
      delta: { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
      whole: { ...block, input: call.input },
    });
  }
  return found;
}

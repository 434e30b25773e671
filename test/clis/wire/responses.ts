import { type Answer, type Asked, textOf, used, type Wire } from "./wire.ts";

// biome-ignore lint/suspicious/noExplicitAny: it is what a CLI sends
type Any = any;

export const responses: Wire = {
  name: "responses",
  path: /\/responses(\?|$)/,
  read: ({ model, stream, instructions, input, tools = [] }: Any) => {
    const items: Any[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
    const isSystem = ({ role }: Any) => role === "developer" || role === "system";
    return {
      model,
      stream: stream === true,
      system: [instructions ?? "", ...items.filter(isSystem).map(({ content }) => textOf(content))].join("\n"),
      turns: items
        .filter((item) => !isSystem(item))
        .map(({ type, role, content }) => ({
          role: role === "user" ? "user" : "model",
          text: textOf(content),
          calls: type === "function_call" || type === "custom_tool_call" || type === "local_shell_call" ? 1 : 0,
        })),
      tools: tools
        .flatMap((tool: Any) =>
          tool.type === "namespace" ? tool.tools.map((one: Any) => ({ ...one, namespace: tool.name })) : [tool],
        )
        .map(({ name = "", namespace, parameters = {} }: Any) => ({ name, namespace, schema: parameters })),
    };
  },
  *stream(answer, asked, count) {
    const response = whole(answer, asked, count);
    yield event("response.created", { response: { ...response, status: "in_progress", output: [] } });
    for (const [output_index, item] of response.output.entries()) {
      yield event("response.output_item.added", { output_index, item: { ...item, content: [] } });
      if ("content" in item)
        yield event("response.output_text.delta", { output_index, item_id: item.id, delta: item.content[0]!.text });
      yield event("response.output_item.done", { output_index, item });
    }
    yield event("response.completed", { response });
  },
  whole,
  error: (status) => ({ error: { type: "invalid_request_error", message: `scripted ${status}`, code: null } }),
};

const event = (type: string, data: object) => ({ event: type, data: { type, ...data } });

function whole({ text, call }: Answer, { model }: Asked, count: number) {
  const said = text && {
    type: "message",
    id: `msg_${count}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  const called = call && {
    type: "function_call",
    id: `fc_${count}`,
    call_id: `call_${count}`,
    name: call.name,
    ...(call.namespace && { namespace: call.namespace }),
    arguments: JSON.stringify(call.input),
    status: "completed",
  };
  return {
    id: `resp_${count}`,
    object: "response",
    status: "completed",
    model,
    output: [...(said ? [said] : []), ...(called ? [called] : [])],
    usage: {
      input_tokens: used.input + used.cached,
      input_tokens_details: { cached_tokens: used.cached },
      output_tokens: used.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: used.input + used.cached + used.output,
    },
  };
}

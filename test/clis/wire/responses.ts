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
      tools: [...tools, ...items.flatMap((item) => (item.type === "additional_tools" ? item.tools : []))]
        .flatMap((tool: Any) =>
          tool.type === "namespace" ? tool.tools.map((one: Any) => ({ ...one, namespace: tool.name })) : [tool],
        )
        .flatMap((tool: Any) => (tool.name === "exec" && tool.type === "custom" ? nested(tool) : [tool]))
        .map(({ name = "", namespace, parameters = {}, nested }: Any) => ({
          name,
          namespace,
          schema: parameters,
          nested,
        })),
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

/** Newer models have one tool that runs JavaScript, and call the others in it. They are described in its text. */
function nested({ description }: Any): Any[] {
  const sections = [...String(description).matchAll(/^### `(\w+)`$([\s\S]*?)(?=^### |$(?![\s\S]))/gm)];
  return sections.map(([, name, text]) => {
    const fields = [...text!.matchAll(/^ {2}(\w+)(\??): /gm)].filter(({ index }) => index < text!.indexOf("Promise<"));
    const properties = Object.fromEntries(fields.map(([, field]) => [field, {}]));
    return { name, nested: true, parameters: { properties } };
  });
}

const found = (pattern: string) =>
  `tools[ALL_TOOLS.find(({ name }) => /${pattern}/.test(name) && /^mcp/.test(name)).name]`;

const event = (type: string, data: object) => ({ event: type, data: { type, ...data } });

function whole({ text, call }: Answer, { model }: Asked, count: number) {
  const said = text && {
    type: "message",
    id: `msg_${count}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  const script = call?.nested && {
    type: "custom_tool_call",
    id: `ctc_${count}`,
    call_id: `call_${count}`,
    name: "exec",
    namespace: "functions",
    input: `text(await ${call.nested === "found" ? found(call.name) : `tools.${call.name}`}(${JSON.stringify(call.input)}))`,
    status: "completed",
  };
  const called = call &&
    !call.nested && {
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
    output: [...(said ? [said] : []), ...(called ? [called] : []), ...(script ? [script] : [])],
    usage: {
      input_tokens: used.input + used.cached,
      input_tokens_details: { cached_tokens: used.cached },
      output_tokens: used.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: used.input + used.cached + used.output,
    },
  };
}

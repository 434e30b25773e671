/**
 * What three providers send and expect, as far as a team needs it: a request becomes what a participant was shown, whatever the format; an
 * answer becomes a stream in the format that was asked for. Written after the providers' documentation, not after our own backend.
 */

export type Format = "anthropic" | "openai" | "google";

export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** One answer. Without calls it is plain words. */
export interface Answer {
  text?: string;
  calls?: Call[];
}

/** A line of the conversation: own words and calls, what others said, what a call led to. */
export type Shown =
  | { by: "me"; text: string; calls: Call[] }
  | { by: "them"; text: string }
  | { by: "tool"; tool: string; text: string };

export interface Asked {
  format: Format;
  model: string;
  system: string;
  lines: Shown[];
  tools: string[];
  /** About what a provider would count. */
  tokens: number;
}

type Block = Record<string, unknown>;
const blocks = (content: unknown): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : ((content ?? []) as Block[]);
const words = (content: unknown): string =>
  blocks(content)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("\n");

/** Nothing if nobody of the three is asked on this path. */
export function formatOf(path: string): Format | undefined {
  if (path.startsWith("/v1/messages")) return "anthropic";
  if (path.startsWith("/v1/responses")) return "openai";
  return path.includes(":streamGenerateContent") ? "google" : undefined;
}

export function read(format: Format, path: string, text: string): Asked {
  const body = JSON.parse(text) as Block;
  const shared = { format, tokens: Math.ceil(text.length / 4) };
  if (format === "anthropic")
    return {
      ...shared,
      model: String(body.model),
      system: words(body.system),
      lines: anthropicLines(body.messages as Block[]),
      tools: ((body.tools ?? []) as Block[]).map(({ name }) => String(name)),
    };
  if (format === "openai") {
    const items = body.input as Block[];
    return {
      ...shared,
      model: String(body.model),
      system: items.flatMap((one) => (isSystem(one) ? [words(one.content)] : [])).join("\n"),
      lines: openaiLines(items.filter((one) => !isSystem(one))),
      tools: ((body.tools ?? []) as Block[]).map(({ name }) => String(name)),
    };
  }
  const declared = ((body.tools ?? []) as Block[]).flatMap(
    ({ functionDeclarations }) => (functionDeclarations ?? []) as Block[],
  );
  return {
    ...shared,
    model: /models\/([^:]+):/.exec(path)?.[1] ?? "",
    system: words((body.systemInstruction as Block | undefined)?.parts),
    lines: geminiLines(body.contents as Block[]),
    tools: declared.map(({ name }) => String(name)),
  };
}

const isSystem = ({ role }: Block): boolean => role === "system" || role === "developer";

function anthropicLines(messages: Block[]): Shown[] {
  const names = new Map<unknown, string>();
  return messages.flatMap(({ role, content }): Shown[] => {
    if (role === "assistant") {
      const calls = blocks(content).filter(({ type }) => type === "tool_use");
      for (const { id, name, input } of calls) names.set(id, called(name, input).tool);
      return [{ by: "me", text: words(content), calls: calls.map(({ name, input }) => called(name, input)) }];
    }
    return blocks(content).map((block) =>
      block.type === "tool_result"
        ? { by: "tool", tool: names.get(block.tool_use_id) ?? "", text: words(block.content) }
        : { by: "them", text: String(block.text ?? "") },
    );
  });
}

function openaiLines(items: Block[]): Shown[] {
  const names = new Map<unknown, string>();
  const lines: Shown[] = [];
  /** Words and calls of one answer are items of their own here. */
  const mine = () => {
    const last = lines.at(-1);
    if (last?.by === "me") return last;
    const begun = { by: "me" as const, text: "", calls: [] as Call[] };
    lines.push(begun);
    return begun;
  };
  for (const { type, role, content, name, arguments: input, call_id, output } of items) {
    if (type === "function_call") {
      const call = called(name, JSON.parse(String(input)));
      names.set(call_id, call.tool);
      mine().calls.push(call);
    } else if (type === "function_call_output")
      lines.push({ by: "tool", tool: names.get(call_id) ?? "", text: String(output) });
    else if (role === "assistant") mine().text += words(content);
    else if (role === "user") lines.push({ by: "them", text: words(content) });
  }
  return lines;
}

function geminiLines(contents: Block[]): Shown[] {
  /** Its results have no ids: they come in the order of the calls. */
  let open: string[] = [];
  return contents.flatMap(({ role, parts }): Shown[] => {
    const given = blocks(parts);
    if (role === "model") {
      const made = given.flatMap(({ functionCall }) => (functionCall ? [functionCall as Block] : []));
      const calls = made.map(({ name, args }) => called(name, args));
      open = calls.map(({ tool }) => tool);
      return [{ by: "me", text: words(given), calls }];
    }
    return given.map((part) => {
      const answer = part.functionResponse as { name: string; response: { content?: unknown } } | undefined;
      if (!answer) return { by: "them", text: String(part.text ?? "") };
      return {
        by: "tool",
        tool: open.shift() ?? answer.name,
        text: String(answer.response.content ?? JSON.stringify(answer.response)),
      };
    });
  });
}

/** A call through use_tool is one of the tool that it names. */
function called(tool: unknown, input: unknown): Call {
  const given = (input ?? {}) as Record<string, unknown>;
  return tool === "use_tool" ? called(given.tool, given.input) : { tool: String(tool), input: given };
}

/** As a provider has it: only what the request lists can be called by its name. */
export const callable = ({ tools }: Asked, { calls = [], ...said }: Answer): Answer => ({
  ...said,
  calls: calls.map((call) =>
    tools.includes(call.tool) || !tools.includes("use_tool")
      ? call
      : { tool: "use_tool", input: { tool: call.tool, input: call.input } },
  ),
});

const sse = (events: Block[], named: boolean): string =>
  events.map((data) => `${named ? `event: ${data.type}\n` : ""}data: ${JSON.stringify(data)}\n\n`).join("");

/** The answer as a stream; `id` makes the ids of its calls. */
export function write(format: Format, { text = "", calls = [] }: Answer, tokens: number, id: string): string {
  const output = Math.ceil((text.length + JSON.stringify(calls).length) / 4);
  if (format === "anthropic") return sse(anthropicEvents(text, calls, tokens, output, id), true);
  if (format === "openai") return sse(openaiEvents(text, calls, tokens, output, id), true);
  return sse(geminiEvents(text, calls, tokens, output), false);
}

function anthropicEvents(text: string, calls: Call[], input: number, output: number, id: string): Block[] {
  const contents = [
    ...(text ? [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text } }] : []),
    ...calls.map((call, at) => ({
      start: { type: "tool_use", id: `toolu_${id}_${at}`, name: call.tool, input: {} },
      delta: { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
    })),
  ];
  const usage = { input_tokens: input, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const message = { id, type: "message", role: "assistant", model: "x", content: [], stop_reason: null, usage };
  return [
    { type: "message_start", message },
    ...contents.flatMap(({ start, delta }, index) => [
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: calls.length ? "tool_use" : "end_turn" },
      usage: { output_tokens: output },
    },
    { type: "message_stop" },
  ];
}

function openaiEvents(text: string, calls: Call[], input: number, output: number, id: string): Block[] {
  const response = { id: `resp_${id}`, object: "response", created_at: 1_790_000_000, model: "x", error: null };
  const message = { type: "message", id: `msg_${id}`, role: "assistant" };
  const said = text
    ? [
        {
          type: "response.output_item.added",
          output_index: 0,
          item: { ...message, content: [], status: "in_progress" },
        },
        {
          type: "response.output_text.delta",
          item_id: message.id,
          output_index: 0,
          content_index: 0,
          delta: text,
        },
        {
          type: "response.output_item.done",
          output_index: 0,
          item: { ...message, status: "completed", content: [{ type: "output_text", text, annotations: [] }] },
        },
      ]
    : [];
  const made = calls.flatMap((call, at) => {
    const output_index = at + (text ? 1 : 0);
    const args = JSON.stringify(call.input);
    const item = { type: "function_call", id: `fc_${id}_${at}`, call_id: `call_${id}_${at}`, name: call.tool };
    return [
      {
        type: "response.output_item.added",
        output_index,
        item: { ...item, arguments: "", status: "in_progress" },
      },
      { type: "response.function_call_arguments.delta", item_id: item.id, output_index, delta: args },
      { type: "response.function_call_arguments.done", item_id: item.id, output_index, arguments: args },
      {
        type: "response.output_item.done",
        output_index,
        item: { ...item, arguments: args, status: "completed" },
      },
    ];
  });
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return [
    { type: "response.created", response: { ...response, status: "in_progress" } },
    ...said,
    ...made,
    { type: "response.completed", response: { ...response, status: "completed", usage } },
  ];
}

function geminiEvents(text: string, calls: Call[], input: number, output: number): Block[] {
  const chunk = (parts: Block[], more: Block = {}) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    modelVersion: "x",
  });
  const functionCalls = calls.map(({ tool: name, input: args }, at) => ({
    functionCall: { name, args },
    ...(at === 0 ? { thoughtSignature: "c2lnbmVk" } : {}),
  }));
  return [
    ...(text ? [chunk([{ text }])] : []),
    ...(calls.length ? [chunk(functionCalls)] : []),
    {
      ...chunk([{ text: "" }], { finishReason: "STOP" }),
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
    },
  ];
}

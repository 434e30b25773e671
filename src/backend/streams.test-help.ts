/** Streamed answers of providers, written by hand after their documentation: thinking, text, two calls at once, usage. */

const sse = (events: [string | undefined, unknown][]): string =>
  events
    .map(
      ([name, data]) =>
        `${name ? `event: ${name}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
    )
    .join("");

const typed = (events: { type: string; [field: string]: unknown }[]): string =>
  sse(events.map((data) => [data.type, data]));

export interface AnthropicOptions {
  stop?: string;
  /** Replaces the arguments of the second call. */
  second?: string[];
  blocks?: { start: unknown; deltas: unknown[] }[];
}

export function anthropicStream({
  stop = "tool_use",
  second = ['{"path":"b.md",', '"content":"B\\u00e9"}'],
  blocks,
}: AnthropicOptions = {}): string {
  const all = blocks ?? [
    {
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: "I should write " },
        { type: "thinking_delta", thinking: "two files." },
        { type: "signature_delta", signature: "c2lnbmF0dXJl" },
      ],
    },
    {
      start: { type: "text", text: "" },
      deltas: [
        { type: "text_delta", text: "I write " },
        { type: "text_delta", text: "both – now." },
      ],
    },
    {
      start: { type: "tool_use", id: "toolu_01A", name: "write_file", input: {} },
      deltas: [
        { type: "input_json_delta", partial_json: "" },
        { type: "input_json_delta", partial_json: '{"path":"a.md","content":"A"}' },
      ],
    },
    {
      start: { type: "tool_use", id: "toolu_01B", name: "write_file", input: {} },
      deltas: second.map((partial_json) => ({ type: "input_json_delta", partial_json })),
    },
  ];
  return typed([
    {
      type: "message_start",
      message: {
        id: "msg_01",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-5-5",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 100, cache_creation_input_tokens: 50, cache_read_input_tokens: 1000, output_tokens: 1 },
      },
    },
    { type: "ping" },
    ...all.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 80 } },
    { type: "message_stop" },
  ]);
}

/** A search that the provider makes itself, with what it found and a citation. */
export const anthropicSearch = (stop = "end_turn"): string =>
  anthropicStream({
    stop,
    blocks: [
      { start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: "I look it up. " }] },
      {
        start: { type: "server_tool_use", id: "srvtoolu_01", name: "web_search", input: {} },
        deltas: [{ type: "input_json_delta", partial_json: '{"query":"news"}' }],
      },
      ...(stop === "pause_turn"
        ? []
        : [
            {
              start: {
                type: "web_search_tool_result",
                tool_use_id: "srvtoolu_01",
                content: [
                  {
                    type: "web_search_result",
                    url: "https://example.com/a",
                    title: "News of A",
                    encrypted_content: "RW5j",
                    page_age: "1 day",
                  },
                ],
              },
              deltas: [],
            },
            {
              start: { type: "text", text: "" },
              deltas: [
                { type: "text_delta", text: "A happened." },
                {
                  type: "citations_delta",
                  citation: {
                    type: "web_search_result_location",
                    url: "https://example.com/a",
                    title: "News of A",
                    encrypted_index: "SW5kZXg",
                    cited_text: "A did happen",
                  },
                },
              ],
            },
          ]),
    ],
  });

/** A call as a model wrote it, whatever it wrote. */
export interface Written {
  id: string;
  name: string;
  args: string;
}

/** An answer of nothing but these calls. */
export const anthropicCalls = (calls: readonly Written[]): string =>
  anthropicStream({
    blocks: calls.map(({ id, name, args }) => ({
      start: { type: "tool_use", id, name, input: {} },
      deltas: [{ type: "input_json_delta", partial_json: args }],
    })),
  });

export const anthropicWords = (text: string): string =>
  anthropicStream({
    stop: "end_turn",
    blocks: [{ start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text }] }],
  });

export interface OpenAIOptions {
  last?: "completed" | "incomplete";
  reason?: string;
  second?: string;
  cut?: boolean;
  /** Instead of the two. */
  calls?: readonly Written[];
}

export function openaiStream({
  last = "completed",
  reason,
  second = '{"path":"b.md","content":"B"}',
  calls = [
    { id: "call_1", name: "write_file", args: '{"path":"a.md","content":"A"}' },
    { id: "call_2", name: "write_file", args: second },
  ],
}: OpenAIOptions = {}): string {
  const call = (n: number, at: number, { id: call_id, name, args }: Written) => [
    {
      type: "response.output_item.added",
      output_index: at,
      item: {
        type: "function_call",
        id: `fc_${n}`,
        call_id,
        name,
        arguments: "",
        status: "in_progress",
      },
    },
    { type: "response.function_call_arguments.delta", item_id: `fc_${n}`, output_index: at, delta: args.slice(0, 9) },
    { type: "response.function_call_arguments.delta", item_id: `fc_${n}`, output_index: at, delta: args.slice(9) },
    { type: "response.function_call_arguments.done", item_id: `fc_${n}`, output_index: at, arguments: args },
    {
      type: "response.output_item.done",
      output_index: at,
      item: {
        type: "function_call",
        id: `fc_${n}`,
        call_id,
        name,
        arguments: args,
        status: "completed",
      },
    },
  ];
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1_790_000_000,
    model: "gpt-6.1-sol",
    output: [],
    error: null,
  };
  const usage = {
    input_tokens: 1200,
    input_tokens_details: { cached_tokens: 1024 },
    output_tokens: 90,
    output_tokens_details: { reasoning_tokens: 32 },
    total_tokens: 1290,
  };
  return typed([
    { type: "response.created", response: { ...response, status: "in_progress" } },
    { type: "response.in_progress", response: { ...response, status: "in_progress" } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: null },
    },
    { type: "response.reasoning_summary_part.added", item_id: "rs_1", output_index: 0, summary_index: 0 },
    {
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
      delta: "I should write two files.",
    },
    { type: "response.reasoning_summary_part.done", item_id: "rs_1", output_index: 0, summary_index: 0 },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "I should write two files." }],
        encrypted_content: "c2VhbGVk",
      },
    },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: { type: "message", id: "msg_1", role: "assistant", content: [], status: "in_progress" },
    },
    {
      type: "response.content_part.added",
      item_id: "msg_1",
      output_index: 1,
      content_index: 0,
      part: { type: "output_text", text: "", annotations: [] },
    },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: "I write " },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: "both – now." },
    {
      type: "response.output_text.done",
      item_id: "msg_1",
      output_index: 1,
      content_index: 0,
      text: "I write both – now.",
    },
    {
      type: "response.output_item.done",
      output_index: 1,
      item: {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "I write both – now.", annotations: [] }],
      },
    },
    ...calls.flatMap((one, at) => call(at + 1, at + 2, one)),
    {
      type: `response.${last}`,
      response: { ...response, status: last, incomplete_details: reason ? { reason } : null, usage },
    },
  ]);
}

export interface ChatOptions {
  finish?: string;
  second?: string;
  usage?: boolean;
  text?: string[];
  calls?: boolean;
}

export function chatStream({
  finish = "tool_calls",
  second = '{"path":"b.md","content":"B"}',
  usage = true,
  text = ["I write ", "both – now."],
  calls = true,
}: ChatOptions = {}): string {
  const chunk = (delta: unknown, finish_reason: string | null = null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_790_000_000,
    model: "local",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const call = (index: number, args: string) => [
    chunk({
      tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name: "write_file", arguments: "" } }],
    }),
    chunk({ tool_calls: [{ index, function: { arguments: args.slice(0, 9) } }] }),
    chunk({ tool_calls: [{ index, function: { arguments: args.slice(9) } }] }),
  ];
  const counted = {
    ...chunk({}),
    choices: [],
    usage: {
      prompt_tokens: 700,
      completion_tokens: 60,
      total_tokens: 760,
      prompt_tokens_details: { cached_tokens: 512 },
    },
  };
  return sse(
    [
      chunk({ role: "assistant", content: "" }),
      ...text.map((content) => chunk({ content })),
      ...(calls ? [...call(0, '{"path":"a.md","content":"A"}'), ...call(1, second)] : []),
      chunk({}, finish),
      ...(usage ? [counted] : []),
      "[DONE]",
    ].map((data) => [undefined, data]),
  );
}

export interface GeminiOptions {
  finish?: string;
  calls?: boolean;
}

export function geminiStream({ finish = "STOP", calls = true }: GeminiOptions = {}): string {
  const chunk = (parts: unknown[], more: object = {}) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    modelVersion: "gemini-3.8-flash",
  });
  const usageMetadata = {
    promptTokenCount: 900,
    cachedContentTokenCount: 512,
    candidatesTokenCount: 40,
    thoughtsTokenCount: 25,
    totalTokenCount: 965,
  };
  const call = (name: string, args: unknown, thoughtSignature?: string) => ({
    functionCall: { name, args },
    ...(thoughtSignature ? { thoughtSignature } : {}),
  });
  return sse(
    [
      chunk([{ text: "I should write two files.", thought: true }]),
      chunk([{ text: "I write " }]),
      chunk([{ text: "both – now." }]),
      ...(calls
        ? [
            chunk([
              call("write_file", { path: "a.md", content: "A" }, "dGhvdWdodA=="),
              call("write_file", { path: "b.md", content: "B" }),
            ]),
          ]
        : []),
      { ...chunk([{ text: "" }], { finishReason: finish }), usageMetadata },
    ].map((data) => [undefined, data]),
  );
}

/** A search of Gemini's own beside our tools, with what it is grounded on. */
export const geminiSearch = (): string =>
  sse(
    [
      {
        candidates: [
          {
            content: {
              role: "model",
              parts: [
                {
                  toolCall: { toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["news"] }, id: "s1" },
                  thoughtSignature: "c2VhcmNo",
                },
                { toolResponse: { toolType: "GOOGLE_SEARCH_WEB", response: { search_suggestions: "x" }, id: "s1" } },
                { text: "A happened." },
              ],
            },
            index: 0,
          },
        ],
      },
      {
        candidates: [
          {
            content: { role: "model", parts: [{ text: "" }] },
            finishReason: "STOP",
            index: 0,
            groundingMetadata: {
              webSearchQueries: ["news"],
              groundingChunks: [{ web: { uri: "https://example.com/a", title: "News of A" } }],
            },
          },
        ],
        usageMetadata: { promptTokenCount: 900, candidatesTokenCount: 40, totalTokenCount: 940 },
      },
    ].map((data) => [undefined, data]),
  );

export function openaiSearch(): string {
  const annotation = {
    type: "url_citation",
    url: "https://example.com/a",
    title: "News of A",
    start_index: 0,
    end_index: 11,
  };
  const response = { id: "resp_1", object: "response", created_at: 1_790_000_000, model: "gpt-6.1-sol", error: null };
  const call = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "news" } };
  const content = [{ type: "output_text", text: "A happened.", annotations: [annotation] }];
  return typed([
    { type: "response.created", response },
    { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1", summary: [] } },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "YmVmb3Jl" },
    },
    { type: "response.output_item.added", output_index: 1, item: { ...call, status: "in_progress" } },
    { type: "response.output_item.done", output_index: 1, item: call },
    { type: "response.output_item.added", output_index: 2, item: { type: "reasoning", id: "rs_2", summary: [] } },
    {
      type: "response.output_item.done",
      output_index: 2,
      item: { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "YWZ0ZXI=" },
    },
    { type: "response.output_item.added", output_index: 3, item: { type: "message", id: "msg_1" } },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 3, content_index: 0, delta: "A happened." },
    {
      type: "response.output_text.annotation.added",
      item_id: "msg_1",
      output_index: 3,
      content_index: 0,
      annotation_index: 0,
      annotation,
    },
    {
      type: "response.output_item.done",
      output_index: 3,
      item: { type: "message", id: "msg_1", role: "assistant", status: "completed", content },
    },
    {
      type: "response.completed",
      response: { ...response, usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 } },
    },
  ]);
}

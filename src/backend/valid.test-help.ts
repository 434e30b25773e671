/** Each provider's rules for a valid conversation. Each function returns what is wrong with a request's body, or undefined. */

type Json = Record<string, unknown>;
const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []);
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const blank = (value: unknown): boolean => typeof value !== "string" || value.trim() === "";
const id = /^[a-zA-Z0-9_-]{1,64}$/;
const name = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

export function wrongForAnthropic(body: Json): string | undefined {
  const messages = list(body.messages);
  const seen = new Set<string>();
  let marks = JSON.stringify(body).split('"cache_control"').length - 1;
  if (marks > 4) return `${marks} marks`;
  marks = 0;
  if (messages[0]?.role !== "user") return "it does not begin with the user";
  for (const [at, message] of messages.entries()) {
    const content = list(message.content);
    if (message.role === messages[at - 1]?.role) return `two of ${message.role} at ${at}`;
    if (content.length === 0) return `nothing at ${at}`;
    for (const block of content) {
      if (block.type === "text" && blank(block.text)) return `an empty text at ${at}`;
      if (block.type === "thinking" && blank(block.signature)) return `thinking without signature at ${at}`;
    }
    const before = messages[at - 1];
    const asked = before?.role === "assistant" ? list(before.content).filter((block) => block.type === "tool_use") : [];
    if (message.role === "user") {
      const given = content.filter((block) => block.type === "tool_result");
      if (JSON.stringify(given.map((one) => one.tool_use_id)) !== JSON.stringify(asked.map((one) => one.id)))
        return `results do not fit the calls at ${at}`;
      if (content.slice(0, given.length).some((block) => block.type !== "tool_result"))
        return `words before results at ${at}`;
      continue;
    }
    const last = content.at(-1)!;
    if (last.type === "text" && /\s$/.test(String(last.text))) return `blanks at the end of ${at}`;
    if (last.type === "thinking") return `nothing but thinking at the end of ${at}`;
    for (const call of content.filter((block) => block.type === "tool_use")) {
      if (!id.test(String(call.id)) || seen.has(String(call.id))) return `the id ${call.id} at ${at}`;
      if (!name.test(String(call.name))) return `the name ${call.name} at ${at}`;
      if (!isObject(call.input)) return `the input at ${at}`;
      seen.add(String(call.id));
    }
  }
  const last = messages.at(-1)!;
  const paused = last.role === "assistant" && list(last.content).some((block) => block.type === "server_tool_use");
  if (last.role !== "user" && !paused) return "it does not end with the user";
  const pending = list(last.content).some((block) => block.type === "tool_use");
  return pending ? "a call at the end" : undefined;
}

export function wrongForOpenAI(body: Json): string | undefined {
  const input = list(body.input).filter((item) => item.role !== "developer" && item.role !== "system");
  if (input[0]?.role !== "user") return "it does not begin with the user";
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [at, item] of input.entries()) {
    if (item.type === "function_call") {
      if (!id.test(String(item.call_id)) || seen.has(String(item.call_id))) return `the id ${item.call_id} at ${at}`;
      if (!name.test(String(item.name))) return `the name ${item.name} at ${at}`;
      if (!isObject(JSON.parse(String(item.arguments)))) return `the arguments at ${at}`;
      seen.add(String(item.call_id));
      open.push(String(item.call_id));
    } else if (item.type === "function_call_output") {
      if (open[0] !== item.call_id) return `a result without its call at ${at}`;
      if (blank(item.output)) return `an empty result at ${at}`;
      open = open.slice(1);
    } else {
      if (item.type === "reasoning") {
        const next = input[at + 1];
        if (!next || next.role === "user") return `thinking that nothing follows at ${at}`;
      }
      if (item.role === "user") {
        if (open.length) return `words before results at ${at}`;
        if (list(item.content).length === 0 || list(item.content).some(({ text }) => blank(text)))
          return `an empty text at ${at}`;
      }
      if (item.role === "assistant" && blank(item.content)) return `an empty answer at ${at}`;
    }
  }
  if (open.length) return "a call without result";
  const last = input.at(-1)!;
  return last.role === "user" || last.type === "function_call_output" ? undefined : "it does not end with the user";
}

export function wrongForChat(body: Json): string | undefined {
  const messages = list(body.messages).filter(({ role }, at) => at > 0 || role !== "system");
  if (messages[0]?.role !== "user") return "it does not begin with the user";
  const seen = new Set<string>();
  let open: string[] = [];
  let speaker: unknown;
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      if (open[0] !== message.tool_call_id) return `a result without its call at ${at}`;
      open = open.slice(1);
      speaker = "tool";
      continue;
    }
    if (open.length) return `words before results at ${at}`;
    if (message.role === speaker) return `two of ${message.role} at ${at}`;
    if (message.role === "user" && blank(textOf(message.content))) return `an empty text at ${at}`;
    speaker = message.role;
    if (message.role !== "assistant") continue;
    const calls = list(message.tool_calls);
    if (calls.length === 0 && blank(textOf(message.content))) return `an empty answer at ${at}`;
    for (const call of calls) {
      const { name: called, arguments: args } = call.function as Json;
      if (!id.test(String(call.id)) || seen.has(String(call.id))) return `the id ${call.id} at ${at}`;
      if (!name.test(String(called)) || !isObject(JSON.parse(String(args)))) return `the call at ${at}`;
      seen.add(String(call.id));
      open.push(String(call.id));
    }
  }
  if (open.length) return "a call without result";
  return speaker === "assistant" ? "it does not end with the user" : undefined;
}

const textOf = (content: unknown): unknown =>
  Array.isArray(content) ? content.map((part) => part.text).join("") : content;

export function wrongForGemini(body: Json): string | undefined {
  const contents = list(body.contents);
  if (contents[0]?.role !== "user") return "it does not begin with the user";
  for (const [at, { role, parts }] of contents.entries()) {
    const mine = list(parts);
    if (mine.length === 0) return `nothing at ${at}`;
    if (mine.some((part) => "text" in part && blank(part.text))) return `an empty text at ${at}`;
    const before = contents[at - 1];
    const asked =
      before?.role === "model"
        ? list(before.parts).flatMap((part) => (part.functionCall ? [part.functionCall as Json] : []))
        : [];
    const given = mine.flatMap((part) => (part.functionResponse ? [part.functionResponse as Json] : []));
    if (JSON.stringify(asked.map((one) => one.name)) !== JSON.stringify(given.map((one) => one.name)))
      return `results do not fit the calls at ${at}`;
    if (role === "model" && before?.role === "model") return `two answers at ${at}`;
    if (asked.some((call) => !isObject(call.args) || !name.test(String(call.name)))) return `a call at ${at}`;
  }
  const last = contents.at(-1)!;
  return last.role === "user" ? undefined : "it does not end with the user";
}

/** Codex's items as activities: an item is begun and completed. The same items come from its app server and, spelled otherwise, from `exec`. */
import type { Activity } from "../driver.ts";
import { contentText, type Fields, fieldsOf, listOf, textOf } from "../wire/fields.ts";

type Named = { name: string; input: unknown };

const tools: Record<string, (item: Fields) => Named> = {
  commandExecution: ({ command, cwd }) => ({ name: "shell", input: { command, ...(cwd !== undefined && { cwd }) } }),
  fileChange: ({ changes }) => ({ name: "apply_patch", input: { changes } }),
  mcpToolCall: ({ server, tool, arguments: input }) => ({ name: `${textOf(server)}/${textOf(tool)}`, input }),
  dynamicToolCall: ({ tool, arguments: input }) => ({ name: textOf(tool), input }),
  collabAgentToolCall: ({ tool, prompt }) => ({ name: textOf(tool), input: { prompt } }),
  webSearch: ({ query }) => ({ name: "web_search", input: { query } }),
  imageView: ({ path }) => ({ name: "view_image", input: { path } }),
};

export const isTool = (item: Fields): boolean => Object.hasOwn(tools, textOf(item.type));

export const toolOf = (item: Fields): Activity => ({
  type: "tool",
  id: textOf(item.id),
  ...tools[textOf(item.type)]!(item),
});

export function resultOf(item: Fields): Activity {
  const { id, type, status, exitCode, error, success } = item;
  const failed = status === "failed" || error || success === false || (typeof exitCode === "number" && exitCode !== 0);
  const outcome = status === "declined" ? "denied" : failed ? "error" : "ok";
  const changed =
    type === "fileChange" && outcome === "ok" ? listOf(item.changes).map((one) => textOf(fieldsOf(one).path)) : [];
  return { type: "result", id: textOf(id), outcome, text: wordsOf(item), files: changed };
}

function wordsOf({ aggregatedOutput, result, error, contentItems }: Fields): string {
  if (error) return textOf(fieldsOf(error).message);
  if (typeof aggregatedOutput === "string") return aggregatedOutput.toWellFormed();
  return contentText(result ? fieldsOf(result).content : contentItems);
}

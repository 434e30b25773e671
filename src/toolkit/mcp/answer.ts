/** The result of an MCP tool as text. Only text is shown; pictures and other bytes are only mentioned. */
import type { McpAnswer } from "../../lib/mcp.ts";
import { layOut } from "../lay-out.ts";

/** Longer than what is shown; the rest is only counted. */
const mostWhole = 64_000;

export function textOf({ content, structured }: McpAnswer): string {
  const text = content.map(blockText).filter(Boolean).join("\n\n");
  if (text || structured === undefined) return text || "(nothing)";
  const json = JSON.stringify(structured);
  return json.length <= mostWhole ? (layOut(json, 3 * mostWhole) ?? json) : json;
}

function blockText(block: McpAnswer["content"][number]): string {
  if (block.type === "text") return String(block.text);
  if (block.type === "resource_link") return `[resource ${block.uri}]`;
  if (block.type === "resource" && typeof block.resource === "object" && block.resource) {
    const { uri, text } = block.resource as { uri?: unknown; text?: unknown };
    return typeof text === "string" ? text : `[resource ${uri}: not text, not shown]`;
  }
  const size =
    typeof block.data === "string" ? `, ${Math.floor((block.data.length * 3) / 4).toLocaleString("en-US")} bytes` : "";
  return `[${block.type}${size}: not shown]`;
}

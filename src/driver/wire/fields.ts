/** Safe access to a program's messages, which may have any shape: each returns the field, or an empty value. */
export type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const textOf = (value: unknown): string => (typeof value === "string" ? value.toWellFormed() : "");

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** The text of a content that is a string or a list of parts; other parts are named. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content.toWellFormed();
  return listOf(content)
    .map((part) => {
      const { type, text } = fieldsOf(part);
      return typeof text === "string" ? text.toWellFormed() : `[${textOf(type) || "something"}]`;
    })
    .join("\n");
}

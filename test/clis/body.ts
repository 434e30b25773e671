import type { IncomingMessage } from "node:http";

/** What was sent, as text; undefined if the sender was killed before it had sent all. */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  let body = "";
  try {
    for await (const bytes of request) body += bytes;
  } catch {
    return undefined;
  }
  return body;
}

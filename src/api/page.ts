/** Pages: `?limit=50&cursor=…` and `{items, next}`. A cursor is opaque to callers; one that means nothing here is `invalid`. */
import { z } from "zod";

export const Paging = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50).describe("Maximum number of items"),
  cursor: z.string().max(200).optional().describe("`next` of the previous page"),
});

export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next: z.string().nullable().describe("The cursor of the next page, if there is one"),
  });

/** Every item of a list, page by page. */
export async function allPages<Item>(
  ask: (query: { limit: number; cursor?: string }) => Promise<{ items: Item[]; next: string | null }>,
): Promise<Item[]> {
  const found: Item[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await ask({ limit: 200, ...(cursor ? { cursor } : {}) });
    found.push(...page.items);
    cursor = page.next;
  }
  return found;
}

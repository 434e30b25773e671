/**
 * Extracts the readable part of a page as Markdown. Runs in a worker thread (lib/world.ts, Threads): a page of a few kilobytes can keep it busy for
 * minutes. Nothing is fetched for it: some of its libraries would fetch URLs that the page names.
 */
import type { Readable } from "./page.ts";

export default async function readPage({ html, url }: { html: string; url: string }): Promise<Readable> {
  const [{ parseHTML }, { Defuddle }] = await Promise.all([import("linkedom"), import("defuddle/node")]);
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`);
  const found = await Defuddle(document, url, { markdown: true, useAsync: false, fetch: noFetch });
  return {
    title: found.title,
    author: found.author,
    published: found.published,
    site: found.site,
    text: found.content,
  };
}

const noFetch = () => Promise.reject(new Error("a page is read as it is; nothing is fetched for it"));

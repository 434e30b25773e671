/** The web as the scenarios need it, on loopback: a search service, articles, a price API, a news site. It remembers who asked for what. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Web {
  url: string;
  /** host:port, as `web.allow_private` wants it. */
  place: string;
  /** Paths with their queries, in the order in which they were asked for. */
  hits: string[];
  /** Articles by name; the search finds them by their words. */
  articles: Record<string, string>;
  /** The next request for this path is never answered. */
  hang: string;
  /** What the front page of the news site shows just now. */
  front: () => string[];
  close(): Promise<void>;
}

export async function startWeb(articles: Record<string, string> = {}): Promise<Web> {
  const hits: string[] = [];
  const web: Web = { url: "", place: "", hits, articles, hang: "", front: () => [], close: () => Promise.resolve() };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", web.url);
    hits.push(request.url ?? "/");
    const send = (status: number, type: string, body: string) =>
      response.writeHead(status, { "content-type": type }).end(body);
    if (pathname === web.hang) {
      web.hang = "";
      return;
    }
    if (pathname === "/search")
      return send(200, "application/json", JSON.stringify({ results: found(web, searchParams.get("q") ?? "") }));
    if (pathname === "/v2/price") return send(200, "application/json", '{"bitcoin":{"usd":97123.45}}');
    if (pathname === "/v1/price") return send(410, "text/plain", "gone; the price is at /v2/price");
    if (pathname === "/news")
      return send(
        200,
        "text/html",
        page(
          "News",
          web
            .front()
            .map((post) => `- ${post}`)
            .join("\n"),
        ),
      );
    const article = web.articles[pathname.slice("/article/".length)];
    return article ? send(200, "text/html", page(pathname, article)) : send(404, "text/plain", "not here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  web.place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  web.url = `http://${web.place}`;
  web.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return web;
}

function found({ articles, url }: Web, query: string) {
  const wanted = query.toLowerCase().split(/\s+/);
  return Object.entries(articles)
    .filter(([, text]) => wanted.every((word) => text.toLowerCase().includes(word)))
    .map(([name, text]) => ({ title: name, url: `${url}/article/${name}`, content: text.slice(0, 200) }));
}

const page = (title: string, text: string): string => {
  const paragraphs = text.split("\n").map((line) => `<p>${line}</p>`);
  return `<!doctype html><html><head><title>${title}</title></head><body><article><h1>${title}</h1>${paragraphs.join("")}</article></body></html>`;
};

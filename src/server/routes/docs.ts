/** The OpenAPI document over HTTP. Made once: the routes do not change while we run. */
import { createHash } from "node:crypto";
import type { docRoutes } from "../../api/docs.ts";
import { docsPage, docsStyle } from "../../api/docs-page.ts";
import { openapi } from "../../api/openapi.ts";
import type { Routes } from "../../api/route.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";

/** Nothing runs and nothing is loaded; the one style is allowed by its hash. */
const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(docsStyle).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

let made: { routes: Routes; version: string; document: ReturnType<typeof openapi> } | undefined;

export const docHandlers = ({ version }: Served, routes: Routes): Handlers<typeof docRoutes> => {
  const document = () => {
    if (made?.routes !== routes || made.version !== version)
      made = { routes, version, document: openapi(routes, version) };
    return made.document;
  };
  return {
    getOpenapi: async () => ({ ...document() }),
    getDocs: async () => {
      const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy };
      return new Response(docsPage(document()), { headers: { ...headers, "cache-control": "no-store" } });
    },
  };
};

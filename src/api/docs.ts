/** The document of this API, for programs and for people. */
import { z } from "zod";
import { route } from "./route.ts";

export const docRoutes = {
  getOpenapi: route({
    method: "GET",
    path: "/openapi.json",
    tag: "daemon",
    summary: "Get this API as an OpenAPI 3.1 document",
    ok: 200,
    answer: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
  }),
  getDocs: route({
    method: "GET",
    path: "/docs",
    tag: "daemon",
    summary: "Read the API documentation",
    kind: "file",
    media: "text/html",
    ok: 200,
    answer: z.string(),
  }),
};

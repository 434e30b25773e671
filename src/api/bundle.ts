/** An agent as one file: given out, and taken in. */
import { z } from "zod";
import { OfAgent, Summary } from "./agents.ts";
import { route } from "./route.ts";

export const bundleType = "application/gzip";

export const bundleRoutes = {
  exportAgent: route({
    method: "GET",
    path: "/agents/{agent}/export",
    tag: "agents",
    summary: "The agent with its log, files and memory, as one file",
    params: OfAgent,
    kind: "file",
    media: bundleType,
    ok: 200,
    answer: z.unknown(),
    errors: ["not_found"],
  }),
  importAgent: route({
    method: "POST",
    path: "/agents/import",
    tag: "agents",
    summary: "Take in an agent from a file",
    about: "Its log is verified first. It is paused, so that nothing is spent before a person has looked.",
    upload: bundleType,
    ok: 201,
    answer: Summary,
    errors: ["invalid", "name_taken", "log_corrupt", "newer_version", "path_escapes", "too_large"],
  }),
};

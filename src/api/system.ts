/** The daemon itself. */
import { z } from "zod";
import { route } from "./route.ts";

export const systemRoutes = {
  health: route({
    method: "GET",
    path: "/health",
    tag: "daemon",
    summary: "Whether it is there",
    ok: 200,
    answer: z.object({ status: z.enum(["starting", "ready"]), version: z.string() }),
    open: true,
  }),
};

/** How a browser of the human comes in: a code from whoever has the token, exchanged for a session. */
import { z } from "zod";
import { Time } from "../schema/ids.ts";
import { Nothing } from "./agents.ts";
import { route } from "./route.ts";

const Session = z.object({ expires_at: Time });

const Window = z
  .object({
    id: z.string().describe("Id for display and DELETE; grants no access"),
    browser: z.string().describe("User-Agent, truncated; may be empty"),
    opened_at: Time,
    seen_at: Time.describe("Time of its last request"),
    expires_at: Time,
    here: z.boolean().describe("Whether it is the session of this request"),
  })
  .describe("A logged-in browser");

export const sessionRoutes = {
  createCode: route({
    method: "POST",
    path: "/session/code",
    tag: "session",
    summary: "Create a one-time login code for a browser, valid for a minute",
    about: "Put it into the fragment of the URL, never into the query.",
    body: Nothing,
    ok: 201,
    answer: z.object({ code: z.string(), expires_at: Time }),
  }),
  openSession: route({
    method: "POST",
    path: "/session",
    tag: "session",
    summary: "Exchange a login code for a session",
    about:
      "Send the token as Authorization: Bearer … with every request. It is returned once and not set as a cookie, because browsers share cookies between all ports of a host.",
    body: z.strictObject({ code: z.string().min(1).max(200) }),
    ok: 201,
    answer: Session.extend({ token: z.string().describe("Gives the human's access until it expires or is ended") }),
    example: { body: { code: "5f0c…" } },
    open: true,
  }),
  getSession: route({
    method: "GET",
    path: "/session",
    tag: "session",
    summary: "Get the current session",
    ok: 200,
    answer: Session,
    errors: ["not_found"],
  }),
  closeSession: route({
    method: "DELETE",
    path: "/session",
    tag: "session",
    summary: "End the current session",
    body: Nothing,
    ok: 204,
    answer: z.void(),
    errors: ["storage_failed"],
  }),
  listSessions: route({
    method: "GET",
    path: "/sessions",
    tag: "session",
    summary: "List the logged-in browsers; at most a hundred",
    ok: 200,
    answer: z.object({ items: z.array(Window) }),
  }),
  endSession: route({
    method: "DELETE",
    path: "/sessions/{session}",
    tag: "session",
    summary: "Log a browser out; its streams end at once",
    params: z.object({ session: z.string().min(1).max(64) }),
    ok: 204,
    answer: z.void(),
    errors: ["not_found", "storage_failed"],
  }),
};

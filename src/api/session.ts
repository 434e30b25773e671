/** How a browser of the human comes in: a code from whoever has the token, exchanged for a session. */
import { z } from "zod";
import { Time } from "../schema/ids.ts";
import { Nothing } from "./agents.ts";
import { route } from "./route.ts";

const Session = z.object({ expires_at: Time });

const Window = z
  .object({
    id: z.string().describe("Names it here; opens nothing"),
    browser: z.string().describe("What it says it is (User-Agent), the beginning; empty if it says nothing"),
    opened_at: Time,
    seen_at: Time.describe("When it last asked for something"),
    expires_at: Time,
    here: z.boolean().describe("The one that asks"),
  })
  .describe("A browser that was let in");

export const sessionRoutes = {
  createCode: route({
    method: "POST",
    path: "/session/code",
    tag: "session",
    summary: "A code for a new window, good once and for a minute",
    about: "Put it into the fragment of the address, never into a query.",
    body: Nothing,
    ok: 201,
    answer: z.object({ code: z.string(), expires_at: Time }),
  }),
  openSession: route({
    method: "POST",
    path: "/session",
    tag: "session",
    summary: "Exchange a code for a session",
    about:
      "The token is said as Authorization: Bearer … with every request, is told once, and is in no cookie: browsers give those to every port of a host.",
    body: z.strictObject({ code: z.string().min(1).max(200) }),
    ok: 201,
    answer: Session.extend({ token: z.string().describe("Lets in as the human, until it expires or is ended") }),
    example: { body: { code: "5f0c…" } },
    open: true,
  }),
  getSession: route({
    method: "GET",
    path: "/session",
    tag: "session",
    summary: "This window's session",
    ok: 200,
    answer: Session,
    errors: ["not_found"],
  }),
  closeSession: route({
    method: "DELETE",
    path: "/session",
    tag: "session",
    summary: "End this window's session",
    body: Nothing,
    ok: 204,
    answer: z.void(),
    errors: ["storage_failed"],
  }),
  listSessions: route({
    method: "GET",
    path: "/sessions",
    tag: "session",
    summary: "The browsers that are let in; at most a hundred",
    ok: 200,
    answer: z.object({ items: z.array(Window) }),
  }),
  endSession: route({
    method: "DELETE",
    path: "/sessions/{session}",
    tag: "session",
    summary: "Shut a browser out; its windows need a new code, and what they have open ends",
    params: z.object({ session: z.string().min(1).max(64) }),
    ok: 204,
    answer: z.void(),
    errors: ["not_found", "storage_failed"],
  }),
};

/**
 * One route of the daemon, as data: what it takes, what it answers, how it can fail. The server, the client, the OpenAPI document and the
 * tests that walk over every route are all made from these, so they cannot disagree. Runs in the browser.
 */
import type { z } from "zod";
import type { ProblemCode } from "../schema/problem.ts";

export interface Route {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** `/agents/{agent}/send`; a last `{path*}` takes the rest, slashes and all. */
  path: string;
  /** The group it stands in, in the document. */
  tag: string;
  /** One line. */
  summary: string;
  /** More, where one line is not enough. */
  about?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Takes bytes of this type instead of JSON, as they come; the handler reads them. */
  upload?: string;
  ok: 200 | 201 | 202 | 204;
  /** Of the status `ok`. Not of a file or a stream: those say what they are in `kind`. */
  answer: z.ZodType;
  /** Other good answers, by status. */
  also?: Readonly<Record<number, z.ZodType>>;
  kind?: "file" | "stream";
  /** With `Accept: text/event-stream` it comes in pieces; the last of them, with this name, is the answer. */
  last?: string;
  /** Of an answer that is not JSON. */
  media?: string;
  /** Besides those that every route can give (see errors.ts). */
  errors?: readonly ProblemCode[];
  example?: { body?: unknown; answer?: unknown };
  /** Answers without a token. Host and Origin are looked at all the same. */
  open?: true;
  /** Answers only the human's programs on this machine: by loopback and with the daemon's own token, not with that of a browser's session. */
  local?: true;
  /** Offered to programs that speak for the human by MCP, as these tools. */
  tools?: readonly RouteTool[];
}

/** A route as a tool for a model. Its input is what the route takes; what it gives is the route's answer. */
export interface RouteTool {
  name: string;
  title: string;
  /** For a model: what it does, and when to use which. */
  about: string;
  /** Fields of the route under another name, or with another shape, by the route's own name. */
  fields?: Readonly<Record<string, { as?: string; shape?: z.ZodType }>>;
  /** Fields that always have this value, and are not offered. */
  fixed?: Readonly<Record<string, unknown>>;
  /** Fields that are not offered. */
  without?: readonly string[];
}

/** Keeps the exact types of what is given. */
export const route = <const R extends Route>(given: R): R => given;

export type Routes = Readonly<Record<string, Route>>;

/** What a caller may give. */
export type InputOf<R extends Route, Part extends "params" | "query" | "body"> = R[Part] extends z.ZodType
  ? z.input<R[Part]>
  : undefined;
/** What a handler gets: with defaults, and nothing that was not asked for. */
export type Taken<R extends Route, Part extends "params" | "query" | "body"> = R[Part] extends z.ZodType
  ? z.output<R[Part]>
  : undefined;
export type AnswerOf<R extends Route> = z.output<R["answer"]>;

/** Whether it changes something: then it takes an idempotency key. */
export const isMutation = ({ method }: Route): boolean => method !== "GET";

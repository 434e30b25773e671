/**
 * The OpenAPI 3.1 document, made from the route table: nothing in it is written twice, so it is true as long as the routes are. Pure; runs in
 * the browser.
 *
 * Shapes with a name (shapes.ts) become components, those of answers as they are sent. What callers give stands where it is used, as they may
 * give it: with what has a default left out.
 */
import { z } from "zod";
import type { ProblemCode } from "../schema/problem.ts";
import { commonErrors, statusOf } from "./errors.ts";
import { isMutation, type Route, type Routes } from "./route.ts";
import { shapes } from "./shapes.ts";

export type Json = { [name: string]: unknown };

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: Json;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { required: boolean; content: Json };
  responses: Record<string, { description: string; content?: Json; headers?: Json }>;
  security?: Json[];
}

export interface OpenApi {
  openapi: "3.1.0";
  info: Json & { title: string; version: string; description: string };
  servers: Json[];
  security: Json[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; parameters: Record<string, Parameter>; securitySchemes: Json };
}

const tags: Record<string, string> = {
  agents: "Create, pause, resume, stop and rerun agents",
  talk: "Messages, questions and approvals between people and agents",
  board: "The work: nodes, stages, workers, and why something waits",
  changes: "The user's repository: what was changed, merged and taken over",
  files: "Workspace and memory",
  records: "Documents, resources, proposals",
  triggers: "What wakes an agent",
  cost: "Money and tokens",
  events: "Everything that happens",
  daemon: "The daemon itself",
};

const about =
  "Times are ISO 8601 in UTC. Lists are paged: `next` is the cursor of the next page. Errors are `{error: {code, message}}` with a code from a " +
  "closed list. A request with an `Idempotency-Key` runs once, however often it is sent.";

export function openapi(routes: Routes, version: string): OpenApi {
  const answers = answerShapes(routes);
  const paths: OpenApi["paths"] = {};
  for (const [name, route] of Object.entries(routes)) {
    const path = route.path.replace("*}", "}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(name, route, answers.ref) };
  }
  const used = new Set(Object.values(routes).map(({ tag }) => tag));
  const order = [...Object.keys(tags), ...used];
  return {
    openapi: "3.1.0",
    info: { title: "Agiraph", version, description: about },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    tags: [...new Set(order)].filter((tag) => used.has(tag)).map((name) => ({ name, description: tags[name] ?? name })),
    paths,
    components: {
      schemas: answers.schemas,
      parameters,
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "The token from daemon.json in the home" },
      },
    },
  };
}

const header = (name: string, description: string): Parameter => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
});

const parameters = {
  IdempotencyKey: {
    ...header(
      "Idempotency-Key",
      "Repeats with the same key and body within 24 hours run once and get the stored response",
    ),
    schema: { type: "string", minLength: 1, maxLength: 200 },
  },
  IfMatch: header("If-Match", "The version to replace: the ETag (sha256) that was read, or *"),
  IfNoneMatch: header("If-None-Match", "ETags; 304 if the file is still one of these"),
  Range: header("Range", "A range of bytes: bytes=0-99"),
  IfRange: header("If-Range", "If the version differs, the whole file is returned instead of the range"),
};

function operationOf(name: string, route: Route, ref: (answer: z.ZodType) => Json): Operation {
  const takes = { path: fieldsOf(route.params), query: fieldsOf(route.query) };
  const rest = /\{(\w+)\*\}$/.exec(route.path)?.[1];
  const inPath = takes.path.map(({ name, schema, description }) => ({
    name,
    in: "path" as const,
    required: true,
    ...(name === rest
      ? { description: `${description ?? ""}. May contain slashes, unencoded` }
      : description && { description }),
    schema,
  }));
  const inQuery = takes.query.map((field) => ({ ...field, in: "query" as const }));
  return {
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.about ? { description: route.about } : {}),
    parameters: [...inPath, ...inQuery, ...headersOf(route).map((one) => ({ $ref: `#/components/parameters/${one}` }))],
    ...(route.body ? { requestBody: bodyOf(route, route.body) } : {}),
    ...(route.upload ? { requestBody: { required: true, content: { [route.upload]: { schema: {} } } } } : {}),
    responses: { ...goodOf(route, ref), ...errorsOf(route) },
    ...(route.open ? { security: [] } : {}),
  };
}

const hasBytes = ({ kind, query }: Route): boolean => kind === "file" && query !== undefined && "raw" in query.shape;

function headersOf(route: Route): (keyof typeof parameters)[] {
  return [
    ...(isMutation(route) ? (["IdempotencyKey"] as const) : []),
    ...(route.method === "PUT" ? (["IfMatch"] as const) : []),
    ...(hasBytes(route) ? (["IfNoneMatch", "Range", "IfRange"] as const) : []),
  ];
}

function bodyOf({ example }: Route, body: z.ZodType): { required: boolean; content: Json } {
  const example_ = example?.body === undefined ? {} : { example: example.body };
  const content = { "application/json": { schema: shapeOf(body, "input"), ...example_ } };
  return { required: !body.safeParse({}).success, content };
}

function goodOf(route: Route, ref: (answer: z.ZodType) => Json): Operation["responses"] {
  const { ok, answer, also = {}, example, media, kind } = route;
  const shown = example?.answer === undefined ? {} : { example: example.answer };
  const bytes = { schema: { type: "string", format: "binary" } };
  const content =
    ok === 204
      ? undefined
      : {
          [media ?? "application/json"]: { schema: ref(answer), ...shown },
          ...(hasBytes(route) ? { "*/*": bytes } : {}),
          ...(kind === "stream" ? { "text/event-stream": { schema: { type: "string" } } } : {}),
        };
  const others = Object.entries(also).map(([status, schema]) => [
    status,
    { description: "Accepted", content: { "application/json": { schema: ref(schema) } } },
  ]);
  return {
    [ok]: { description: words[ok] ?? "Good", ...(content ? { content } : {}) },
    ...Object.fromEntries(others),
    ...(hasBytes(route)
      ? {
          206: { description: "The requested range", content: { "*/*": bytes } },
          304: { description: "Not modified" },
          416: { description: "The range is outside of the file", content: error },
        }
      : {}),
  };
}

const words: Record<number, string> = { 200: "Success", 201: "Made", 202: "Accepted", 204: "Done" };
const error = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };

function errorsOf({ errors = [], open, body }: Route): Operation["responses"] {
  const usual = open ? (["invalid", "forbidden"] as const) : commonErrors;
  const codes: ProblemCode[] = [...new Set([...errors, ...usual, ...(body ? (["too_large"] as const) : [])])];
  const byStatus = new Map<number, string[]>([[500, ["internal"]]]);
  for (const code of codes) byStatus.set(statusOf[code], [...(byStatus.get(statusOf[code]) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [status, { description: some.sort().join(", "), content: error }]),
  );
}

function fieldsOf(schema: z.ZodObject | undefined): Omit<Parameter, "in">[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = shapeOf(schema, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...shape }]) => ({
    name,
    required: required.includes(name),
    ...(typeof description === "string" ? { description } : {}),
    schema: shape,
  }));
}

function shapeOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _schema, ...shape } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return shape;
}

/** Every answer as a component: the named shapes, and those of single routes by the route's name. */
function answerShapes(routes: Routes): { schemas: Record<string, Json>; ref(answer: z.ZodType): Json } {
  const registry = z.registry<{ id: string }>();
  const names = new Map<z.ZodType, string>();
  const add = (id: string, schema: z.ZodType) => {
    if (names.has(schema)) return;
    names.set(schema, id);
    registry.add(schema, { id });
  };
  for (const [id, schema] of Object.entries(shapes)) add(id, schema);
  for (const [name, { answer, also = {} }] of Object.entries(routes)) {
    const id = `${name[0]!.toUpperCase()}${name.slice(1)}Answer`;
    add(id, answer);
    for (const [status, schema] of Object.entries(also)) add(`${id}${status}`, schema);
  }
  const uri = (id: string) => `#/components/schemas/${id}`;
  const made = z.toJSONSchema(registry, {
    io: "output",
    unrepresentable: "any",
    uri,
    // A later version may say more: who checks answers must not be told that there is nothing else.
    override({ jsonSchema }) {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  const schemas = Object.fromEntries(
    Object.entries(made.schemas).map(([id, { $schema: _schema, $id: _id, ...shape }]) => [id, shape as Json]),
  );
  return { schemas, ref: (answer) => ({ $ref: uri(names.get(answer)!) }) };
}

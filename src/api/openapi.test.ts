import { describe, expect, test } from "vitest";
import { z } from "zod";
import { statusOf } from "./errors.ts";
import { routes } from "./index.ts";
import { type Operation, openapi, type Parameter } from "./openapi.ts";
import { isMutation, type Route } from "./route.ts";

const document = openapi(routes, "1.2.3");
const all: [path: string, method: string, operation: Operation][] = Object.entries(document.paths).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, one]): [string, string, Operation] => [path, method, one]),
);
const routeOf = ({ operationId }: Operation): Route => (routes as Record<string, Route>)[operationId]!;

/** What a JSON pointer of ours leads to. */
function resolve(ref: string): unknown {
  expect(ref).toMatch(/^#\//);
  return ref
    .slice(2)
    .split("/")
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
}

function each(value: unknown, visit: (object: Record<string, unknown>, path: string) => void, path = "#"): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) visit(value as Record<string, unknown>, path);
  for (const [name, inner] of Object.entries(value)) each(inner, visit, `${path}/${name}`);
}

const parametersOf = (operation: Operation): Parameter[] =>
  operation.parameters.map((one) => ("$ref" in one ? (resolve(one.$ref) as Parameter) : one));

describe("the OpenAPI document", () => {
  test("has every route once, under its own name", () => {
    expect(all.map(([, , { operationId }]) => operationId).sort()).toEqual(Object.keys(routes).sort());
    for (const [path, method, operation] of all) {
      const route = routeOf(operation);
      expect([method.toUpperCase(), path]).toEqual([route.method, route.path.replace("*}", "}")]);
    }
  });

  test("has no two paths that could be the same", () => {
    const shapes = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, "{}"));
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  test("is plain JSON, and every reference in it leads somewhere", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    let count = 0;
    each(document, ({ $ref }, path) => {
      if (typeof $ref !== "string") return;
      expect(resolve($ref), `${path}: ${$ref}`).toBeDefined();
      count++;
    });
    expect(count).toBeGreaterThan(100);
  });

  test("has only what OpenAPI 3.1 knows, where it knows it", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: "1.2.3" });
    const names = new Set(document.tags.map(({ name }) => name));
    for (const [path, method, operation] of all) {
      const where = `${method} ${path}`;
      const known = "operationId tags summary description parameters requestBody responses security".split(" ");
      expect(known, where).toEqual(expect.arrayContaining(Object.keys(operation)));
      for (const tag of operation.tags) expect(names, where).toContain(tag);
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^[1-5]\d\d$/);
        expect(response.description.length, where).toBeGreaterThan(0);
        for (const media of Object.values(response.content ?? {})) expect(media).toHaveProperty("schema");
      }
      if (operation.requestBody) expect(["post", "put", "patch", "delete"], where).toContain(method);
    }
    for (const name of Object.keys(document.components.schemas)) expect(name).toMatch(/^[a-zA-Z0-9._-]+$/);
    each(document.components.schemas, (shape, path) => {
      for (const foreign of ["$schema", "$id", "$defs", "definitions", "nullable"])
        if (!path.endsWith("/properties")) expect(shape, path).not.toHaveProperty(foreign);
    });
  });

  test("declares every parameter of a path, and none that is not in it", () => {
    for (const [path, method, operation] of all) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = parametersOf(operation).filter(({ in: where }) => where === "path");
      expect(declared.map(({ name }) => name).sort(), `${method} ${path}`).toEqual(inPath.sort());
      for (const one of declared) expect(one.required).toBe(true);
      const names = parametersOf(operation).map(({ name, in: where }) => `${where} ${name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const { schema, name } of parametersOf(operation)) expect(schema, name).toHaveProperty("type");
    }
  });

  test("says which changes take an Idempotency-Key, and that all but the open ones need a token", () => {
    expect(document.components.securitySchemes).toMatchObject({ token: { type: "http", scheme: "bearer" } });
    expect(document.security).toEqual([{ token: [] }]);
    for (const [, , operation] of all) {
      const route = routeOf(operation);
      const headers = parametersOf(operation).map(({ name }) => name);
      expect(headers.includes("Idempotency-Key")).toBe(isMutation(route));
      expect(operation.security).toEqual(route.open ? [] : undefined);
      if (!route.open) expect(operation.responses).toHaveProperty("401");
    }
  });

  test("has every error of a route under its status, by its code", () => {
    for (const [path, , operation] of all)
      for (const code of routeOf(operation).errors ?? [])
        expect(operation.responses[statusOf[code]]?.description.split(", "), `${path} ${code}`).toContain(code);
  });

  test("has only examples that its own shapes accept", () => {
    let count = 0;
    for (const [name, { body, answer, example }] of Object.entries<Route>(routes)) {
      if (example?.body !== undefined) {
        expect(body!.safeParse(example.body).error?.message ?? "", name).toBe("");
        count++;
      }
      if (example?.answer !== undefined) {
        expect(answer.safeParse(example.answer).error?.message ?? "", name).toBe("");
        count++;
      }
    }
    expect(count).toBeGreaterThan(4);
    for (const [name, { body, example }] of Object.entries<Route>(routes))
      if (body && !body.safeParse({}).success)
        expect(example?.body, `${name} needs a body and shows none`).toBeDefined();
  });

  test("takes bodies as callers may give them: what has a default may be left out", () => {
    const { requestBody } = document.paths["/agents/{agent}/memory/search"]!.post!;
    const { schema } = requestBody!.content["application/json"] as { schema: { required?: string[] } };
    expect(schema.required).toEqual(["query"]);
    const limit = parametersOf(document.paths["/agents"]!.get!).find(({ name }) => name === "limit");
    expect(limit).toMatchObject({ in: "query", required: false, schema: { default: 50, maximum: 500 } });
  });

  test("leaves room for more in answers, and none in bodies that are strict", () => {
    expect(JSON.stringify(document.components.schemas)).not.toContain('"additionalProperties":false');
    const { requestBody } = document.paths["/agents/{agent}/memory/search"]!.post!;
    expect(requestBody!.content["application/json"]).toMatchObject({ schema: { additionalProperties: false } });
  });

  test("shows routes it has never seen: streams, no content, other answers", () => {
    const made = openapi(
      {
        watch: {
          method: "GET",
          path: "/x",
          tag: "new",
          summary: "Watch",
          kind: "stream",
          ok: 200,
          answer: z.object({ a: z.string() }),
          also: { 202: z.object({ b: z.string() }) },
        },
        remove: { method: "DELETE", path: "/x", tag: "new", summary: "Remove", ok: 204, answer: z.undefined() },
      },
      "1",
    );
    const { get, delete: remove } = made.paths["/x"]!;
    expect(Object.keys(get!.responses["200"]!.content!)).toEqual(["application/json", "text/event-stream"]);
    expect(get!.responses["202"]).toBeDefined();
    expect(remove!.responses["204"]!.content).toBeUndefined();
    expect(made.tags).toEqual([{ name: "new", description: "new" }]);
  });
});

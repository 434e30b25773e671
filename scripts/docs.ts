/**
 * Writes the reference from the shapes: docs/reference/{events,commands,problems,api}.md, schema.json and workflow.schema.json, and from the simulation
 * docs/reference/invariants.md, and the list of layers in ARCHITECTURE.md from the check of them. `--check` writes nothing and fails if
 * what is there is not what the shapes say, so that the docs cannot fall behind.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { invariantTable } from "../sim/campaign/table.ts";
import { statusOf } from "../src/api/errors.ts";
import { routes } from "../src/api/index.ts";
import { openapi } from "../src/api/openapi.ts";
import type { Route } from "../src/api/route.ts";
import { commands } from "../src/schema/command.ts";
import { Envelope, eventAliases, events } from "../src/schema/event.ts";
import { nouns as all } from "../src/schema/nouns.ts";
import { type ProblemCode, problemCodes } from "../src/schema/problem.ts";
import { workflowSchema } from "../src/schema/workflow-file.ts";
import { diagram } from "./layers.ts";

const nouns: Record<string, z.ZodType> = Object.assign({}, ...all.map(({ reference }) => reference));

interface Shape {
  type?: string | string[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
  oneOf?: Shape[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
  pattern?: string;
}

const shapeOf = (schema: z.ZodType, io: "input" | "output"): Shape => {
  const { $schema: _schema, ...shape } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Shape & {
    $schema?: string;
  };
  return shape;
};

function typeOf(shape: Shape): string {
  if (shape.const !== undefined) return `\`${JSON.stringify(shape.const)}\``;
  if (shape.enum) return shape.enum.map((value) => `\`${value}\``).join(" \\| ");
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(" \\| ");
  if (shape.type === "array") return `${typeOf(shape.items ?? {})}[]`;
  if (shape.type === "object" && shape.properties) return `{ ${Object.keys(shape.properties).join(", ")} }`;
  return String(shape.type ?? "any");
}

function table(shape: Shape): string {
  const fields = Object.entries(shape.properties ?? {});
  if (fields.length === 0) return "No fields.\n";
  const rows = fields.map(([name, field]) => {
    const needed = shape.required?.includes(name) && field.default === undefined;
    const otherwise = field.default === undefined ? "" : ` Default: \`${JSON.stringify(field.default)}\`.`;
    const about = `${field.description ?? ""}${otherwise}`.replaceAll("|", "\\|").trim();
    return `| \`${name}\`${needed ? "" : "?"} | ${typeOf(field)} | ${about} |`;
  });
  return ["| field | type | |", "|---|---|---|", ...rows, ""].join("\n");
}

const made = "<!-- Made by `npm run docs` from src/schema. Do not edit. -->\n\n";

function page(title: string, intro: string, shapes: Record<string, z.ZodType>, io: "input" | "output"): string {
  const parts = Object.entries(shapes).map(([name, schema]) => `## ${name}\n\n${table(shapeOf(schema, io))}`);
  return `${made}# ${title}\n\n${intro}\n\n${parts.join("\n")}`;
}

/** One line per shape, so that a change is one line in a diff. */
function lines(name: string, shapes: Record<string, z.ZodType>, io: "input" | "output"): string {
  const entries = Object.entries(shapes).map(
    ([key, schema]) => `  ${JSON.stringify(key)}: ${JSON.stringify(shapeOf(schema, io))}`,
  );
  return ` ${JSON.stringify(name)}: {\n${entries.join(",\n")}\n }`;
}

const problemMeanings: Readonly<Record<ProblemCode, string>> = {
  unknown_command: "There is no command of this type.",
  invalid: "The input does not have the required shape or value.",
  too_large: "The input, file or request is too large.",
  not_found: "The agent, node, file or other thing does not exist.",
  wrong_state: "The thing exists, but its state does not allow this.",
  conflict: "Someone else changed it, or the request is ambiguous.",
  name_taken: "The name is in use, or looks like one that is.",
  key_reused: "The idempotency key was used for a different request.",
  unauthorized: "The token, session or login code is missing or wrong.",
  forbidden: "The caller is known but not allowed to do this.",
  untrusted: "The home was found in a project and is not trusted yet.",
  rate_limited: "Too many requests or failed logins; wait and retry.",
  path_escapes: "The path leads outside of the allowed folder.",
  limit_reached: "A limit of the run or agent is reached.",
  budget_exhausted: "The budget does not cover this.",
  stale: "The version is not the current one; read again and retry.",
  fenced: "Another process has taken over the agent; this one may no longer write.",
  owned_elsewhere: "The agent is open in another process.",
  home_locked: "Another process holds the home.",
  storage_failed: "The disk refused a read or write.",
  log_corrupt: "A log is damaged and was not opened.",
  newer_version: "The data was written by a newer version of Agiraph.",
  not_offered: "No model, tool or host offers what is needed.",
  closed: "The agent or daemon is closing or was closed; retry.",
  unreachable: "Another server or the daemon does not answer.",
};

const envelope = `Every event has\n\n${table(shapeOf(Envelope, "output"))}\nand \`type\` and \`data\`, as below. In the log each line ends with \`sum\`, the CRC-32 of the line without it.`;

const aliases = `Filters and triggers also accept older names:\n\n| name | stands for |\n|---|---|\n${Object.entries(
  eventAliases,
)
  .map(
    ([name, { types, from }]) =>
      `| \`${name}\` | ${types.map((type) => `\`${type}\``).join(", ")}${from ? ` from the ${from}` : ""} |`,
  )
  .join(
    "\n",
  )}\n\nA stream filter looks only at the type. The arguments of a tool call are in \`turn.answered\` and \`tool.started\`.`;

/** The routes as tables, grouped as in the OpenAPI document, which says the rest. */
function api(): string {
  const { tags, info } = openapi(routes, "");
  const fields = (schema: z.ZodType | undefined): string => {
    const { properties = {}, required = [], oneOf, anyOf } = schema ? shapeOf(schema, "input") : {};
    const some = Object.keys(properties).length ? properties : ((oneOf ?? anyOf)?.[0]?.properties ?? {});
    const needed = Object.keys(properties).length ? required : ((oneOf ?? anyOf)?.[0]?.required ?? []);
    return Object.keys(some)
      .map((name) => `\`${name}\`${needed.includes(name) ? "" : "?"}`)
      .join(", ");
  };
  const row = ({ method, path, summary, query, body, errors = [], open }: Route): string => {
    const takes = [query ? `query: ${fields(query)}` : "", body ? `body: ${fields(body)}` : ""]
      .filter(Boolean)
      .join("; ");
    const codes = errors.map((code) => `${code} (${statusOf[code]})`).join(", ");
    return `| \`${method} ${path}\` | ${summary}${open ? " (no token needed)" : ""} | ${takes} | ${codes} |`;
  };
  const groups = tags.map(({ name, description }) => {
    const rows = Object.values<Route>(routes).filter(({ tag }) => tag === name);
    return `## ${name}\n\n${description}.\n\n| | | takes | errors |\n|---|---|---|---|\n${rows.map(row).join("\n")}\n`;
  });
  const intro = `${info.description} The full document is at \`/openapi.json\` on the daemon, and readable at \`/docs\`.`;
  return `${made.replace("src/schema", "src/api")}# HTTP API\n\n${intro}\n\n${groups.join("\n")}`;
}

/** The document with its list of layers as scripts/layers.ts has it. */
function architecture(): string {
  const text = readFileSync("ARCHITECTURE.md", "utf8");
  const place = /(<!-- layers: npm run docs -->\n```\n)[\s\S]*?(\n```\n)/;
  if (!place.test(text))
    throw new Error("ARCHITECTURE.md has no place for the layers: <!-- layers: npm run docs --> and a block");
  return text.replace(place, (_, before, after) => `${before}${diagram()}${after}`);
}

const files: Record<string, string> = {
  "ARCHITECTURE.md": architecture(),
  "docs/reference/api.md": api(),
  "docs/reference/events.md": page("Events", `${envelope}\n\n${aliases}`, events, "output"),
  "docs/reference/commands.md": page(
    "Commands",
    "What someone may ask for. `?` marks optional fields. A command is refused with a Problem, or becomes events.",
    commands,
    "input",
  ),
  "docs/reference/problems.md": `${made}# Problems\n\nEvery error is a Problem with one of these codes.\n\n| code | HTTP | meaning |\n|---|---|---|\n${problemCodes.map((code) => `| \`${code}\` | ${statusOf[code]} | ${problemMeanings[code]} |`).join("\n")}\n`,
  "docs/reference/invariants.md": `${made.replace("src/schema", "sim/invariants.ts and the code that checks them")}# Invariants\n\nWhat the simulation and the tests verify (docs/simulation.md).\n\n${invariantTable()}`,
  "docs/reference/workflow.schema.json": `${JSON.stringify(workflowSchema(), null, 2)}\n`,
  "docs/reference/schema.json": `{\n${[
    lines("events", events, "output"),
    lines("commands", commands, "input"),
    lines("nouns", nouns, "output"),
  ].join(",\n")}\n}\n`,
};

const stale = Object.entries(files).filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);
if (process.argv.includes("--check")) {
  for (const [path] of stale) console.error(`${path} is out of date: run npm run docs`);
  process.exit(stale.length ? 1 : 0);
}
mkdirSync("docs/reference", { recursive: true });
for (const [path, text] of stale) writeFileSync(path, text);
console.log(stale.length ? `wrote ${stale.map(([path]) => path).join(", ")}` : "everything is up to date");

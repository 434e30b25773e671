/**
 * Writes the reference from the shapes: docs/reference/{events,commands,problems}.md and schema.json. `--check` writes nothing and fails if
 * what is there is not what the shapes say, so that the docs cannot fall behind.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { Agent } from "../src/schema/agent.ts";
import { commands } from "../src/schema/command.ts";
import { Delivery } from "../src/schema/delivery.ts";
import { Document } from "../src/schema/document.ts";
import { Envelope, events } from "../src/schema/event.ts";
import { Message } from "../src/schema/message.ts";
import { Node } from "../src/schema/node.ts";
import { problemCodes } from "../src/schema/problem.ts";
import { Proposal } from "../src/schema/proposal.ts";
import { Question } from "../src/schema/question.ts";
import { Resource } from "../src/schema/resource.ts";
import { Run } from "../src/schema/run.ts";
import { Stage } from "../src/schema/stage.ts";
import { Trigger } from "../src/schema/trigger.ts";
import { Turn } from "../src/schema/turn.ts";
import { Participant } from "../src/schema/worker.ts";

const nouns = {
  Agent,
  Run,
  Node,
  Stage,
  Participant,
  Turn,
  Message,
  Question,
  Delivery,
  Document,
  Resource,
  Proposal,
  Trigger,
};

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

const envelope = `Every event has\n\n${table(shapeOf(Envelope, "output"))}\nand \`type\` and \`data\`, as below. In the log each line ends with \`sum\`, the CRC-32 of the line without it.`;

const files: Record<string, string> = {
  "docs/reference/events.md": page("Events", envelope, events, "output"),
  "docs/reference/commands.md": page(
    "Commands",
    "What someone may want. `?` marks what may be left out. A command is refused with a Problem, or becomes events.",
    commands,
    "input",
  ),
  "docs/reference/problems.md": `${made}# Problems\n\nEvery error has one of these codes.\n\n${problemCodes.map((code) => `- \`${code}\``).join("\n")}\n`,
  "docs/reference/schema.json": `{\n${[
    lines("events", events, "output"),
    lines("commands", commands, "input"),
    lines("nouns", nouns, "output"),
  ].join(",\n")}\n}\n`,
};

const stale = Object.entries(files).filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);
if (process.argv.includes("--check")) {
  for (const [path] of stale) console.error(`${path} is not what src/schema says: run npm run docs`);
  process.exit(stale.length ? 1 : 0);
}
mkdirSync("docs/reference", { recursive: true });
for (const [path, text] of stale) writeFileSync(path, text);
console.log(stale.length ? `wrote ${stale.map(([path]) => path).join(", ")}` : "docs/reference is up to date");

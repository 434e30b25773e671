/**
 * The OpenAPI document as one page for people: no script, nothing from elsewhere. Whatever stands in the document is text here; nothing of
 * it becomes markup.
 */
import type { Json, OpenApi, Operation, Parameter } from "./openapi.ts";

/** The page's only style; whoever sends the page allows exactly this. */
export const docsStyle = `
:root{color-scheme:light dark;--ink:#1c2024;--soft:#60646c;--line:#d9d9e0;--back:#fff;--card:#f7f7f8;--accent:#3451b2}
@media(prefers-color-scheme:dark){:root{--ink:#edeef0;--soft:#b0b4ba;--line:#363a3f;--back:#111113;--card:#1a1b1e;--accent:#9eb1ff}}
*{box-sizing:border-box}body{margin:0 auto;max-width:60rem;padding:2rem 1.25rem 6rem;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--back)}
h1{font-size:1.75rem;margin:0}h2{font-size:1.2rem;margin:3rem 0 .25rem;scroll-margin-top:1rem}h3{font-size:.85rem;margin:1.25rem 0 .25rem;color:var(--soft)}
p{margin:.5rem 0}nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:1.25rem 0}a{color:var(--accent)}
details{border:1px solid var(--line);border-radius:8px;margin:.5rem 0;background:var(--card)}summary{cursor:pointer;padding:.6rem .9rem;overflow-wrap:anywhere}
summary .what{color:var(--soft);display:block;font-size:.9rem}details>div{padding:0 .9rem .9rem}
code,pre{font:.85rem/1.5 ui-monospace,monospace}pre{overflow:auto;padding:.75rem;border:1px solid var(--line);border-radius:6px;background:var(--back);margin:.25rem 0}
.method{font-weight:600;display:inline-block;min-width:4.2rem}table{border-collapse:collapse;width:100%;font-size:.9rem}td,th{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line)}
`;

export function docsPage(document: OpenApi): string {
  const { info, tags, components } = document;
  const groups = tags.map(({ name, description }) => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags }]) => tags.includes(name))
        .map(([method, operation]) => section(document, method, path, operation)),
    );
    return `<h2 id="${text(name)}">${text(name)}</h2><p>${text(description)}</p>${operations.join("")}`;
  });
  const shapes = Object.entries(components.schemas).map(
    ([name, shape]) =>
      `<details id="shape-${text(name)}"><summary><code>${text(name)}</code><span class="what">${text(shape.description ?? "")}</span></summary><div>${code(shape)}</div></details>`,
  );
  const links = [...tags.map(({ name }) => name), "shapes"].map((name) => `<a href="#${text(name)}">${text(name)}</a>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${text(info.title)} API</title><style>${docsStyle}</style></head><body>
<h1>${text(info.title)} API</h1><p>Version ${text(info.version)}. <a href="openapi.json">openapi.json</a></p><p>${marked(info.description)}</p>
<p>Every call but those marked open carries <code>Authorization: Bearer …</code>.</p>
<nav>${links.join("")}</nav>
${groups.join("\n")}
<h2 id="shapes">shapes</h2>
${shapes.join("\n")}
</body></html>
`;
}

function section(document: OpenApi, method: string, path: string, operation: Operation): string {
  const { summary, description, requestBody, responses, parameters, security } = operation;
  const open = security?.length === 0 ? " (open)" : "";
  const body = requestBody?.content["application/json"] as { schema: Json; example?: unknown } | undefined;
  return `<details id="${text(operation.operationId)}"><summary><code><span class="method">${method.toUpperCase()}</span> ${text(path)}</code><span class="what">${text(summary)}${open}</span></summary><div>
${description ? `<p>${marked(description)}</p>` : ""}
${parameters.length ? `<h3>Parameters</h3>${rows(parameters.map((one) => parameterRow(resolved(document, one))))}` : ""}
${body ? `<h3>Body</h3>${body.example === undefined ? "" : code(body.example)}${code(body.schema)}` : ""}
<h3>Answers</h3>${rows(Object.entries(responses).map(([status, one]) => [status, `${text(one.description)} ${shapeLinks(one.content)}`]))}
</div></details>`;
}

function resolved({ components }: OpenApi, one: Parameter | { $ref: string }): Parameter {
  return "$ref" in one ? components.parameters[one.$ref.split("/").at(-1)!]! : one;
}

function parameterRow({ name, in: where, required, description, schema }: Parameter): string[] {
  const otherwise = schema.default === undefined ? "" : ` Default: ${JSON.stringify(schema.default)}.`;
  return [
    `<code>${text(name)}</code>${required ? "" : "?"}`,
    text(where),
    `${marked(description ?? "")}${text(otherwise)}`,
  ];
}

function shapeLinks(content: Json | undefined): string {
  const refs = Object.values(content ?? {}).flatMap(
    (one) => (one as { schema?: { $ref?: string } }).schema?.$ref ?? [],
  );
  return refs
    .map((ref) => ref.split("/").at(-1)!)
    .map((name) => `<a href="#shape-${text(name)}">${text(name)}</a>`)
    .join(" ");
}

const rows = (cells: string[][]): string =>
  `<table>${cells.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("")}</table>`;

const code = (value: unknown): string => `<pre>${text(JSON.stringify(value, null, 2))}</pre>`;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const text = (value: unknown): string => String(value).replace(/[&<>"']/g, (one) => entities[one]!);

/** Text in which `this` is code. */
const marked = (value: string): string => text(value).replace(/`([^`]+)`/g, "<code>$1</code>");

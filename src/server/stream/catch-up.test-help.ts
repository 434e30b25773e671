/** Every route of the table as a plausible request, so that what is tested for one is tested for all, including new ones. */
import { type IncomingHttpHeaders, request } from "node:http";
import { routes } from "../../api/index.ts";
import { isMutation, type Route } from "../../api/route.ts";

export interface Target {
  name: string;
  route: Route;
  mutates: boolean;
  /** It reads a JSON body as we do. Routes of other protocols have their own rules for bodies, behind the same gate. */
  reads: boolean;
  /** `POST /agents/victim/send`. */
  title: string;
  path(params?: Record<string, string>): string;
}

const samples: Record<string, string> = {
  agent: "victim",
  run: "r1",
  node: "n1",
  trigger: "t1",
  proposal: "p1",
  insight: "i1",
  message: "m1",
  participant: "coordinator",
  worker: "coordinator",
  path: "_plan.md",
};

/** Of routes whose parameter has the name of another thing's. */
const own: Record<string, Record<string, string>> = { decideSoulProposal: { proposal: "sp1" } };

const otherProtocols = ["mcp", "a2a"];

export const targets: Target[] = Object.entries(routes as Record<string, Route>).map(([name, route]) => {
  const path = (params: Record<string, string> = {}) =>
    route.path.replace(
      /\{(\w+)\*?\}/g,
      (_, param: string) =>
        params[param] ?? own[name]?.[param] ?? samples[param] ?? (route.tag === "triggers" ? "t1" : "q1"),
    );
  const mutates = isMutation(route);
  const reads = mutates && route.body !== undefined && !otherProtocols.includes(route.tag);
  return { name, route, mutates, reads, title: `${route.method} ${path()}`, path };
});

/** A valid body for the known routes; an empty one will do for requests that are refused before the body is read. */
export const bodies: Record<string, object> = {
  createAgent: { goal: "x", name: "made" },
  send: { message: "hello" },
  nudge: { message: "hello" },
  respond: { response: "yes" },
  decideApproval: { decision: "allow" },
  openSession: { code: "guess" },
};

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sent unchanged: fetch would fix Host and others. Streams are cut after their beginning. */
export function raw(
  url: string,
  {
    method,
    path,
    headers = {},
    body,
  }: { method: string; path: string; headers?: Record<string, string>; body?: string | Buffer },
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const asked = request({ hostname, port, method, path, headers: { ...length, ...headers } }, (response) => {
      let text = "";
      const end = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      response.setEncoding("utf8").on("end", end).on("error", end);
      response.on("data", (part) => {
        text += part;
      });
      if (response.headers["content-type"]?.startsWith("text/event-stream")) {
        end();
        asked.destroy();
      }
    });
    asked.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: "" });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** Every route of the table as a request that could be right, so that what is tested of one is tested of all, also of those to come. */
import { type IncomingHttpHeaders, request } from "node:http";
import { routes } from "../../api/index.ts";
import { isMutation, type Route } from "../../api/route.ts";

export interface Target {
  name: string;
  route: Route;
  mutates: boolean;
  /** It reads a JSON body as we do. Routes of other protocols have their own rules for what they are told, behind the same gate. */
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
  message: "m1",
  participant: "coordinator",
  worker: "coordinator",
  path: "_plan.md",
};

const otherProtocols = ["mcp", "a2a"];

export const targets: Target[] = Object.entries(routes as Record<string, Route>).map(([name, route]) => {
  const path = (params: Record<string, string> = {}) =>
    route.path.replace(
      /\{(\w+)\*?\}/g,
      (_, param: string) => params[param] ?? samples[param] ?? (route.tag === "triggers" ? "t1" : "q1"),
    );
  const mutates = isMutation(route);
  const reads = mutates && route.body !== undefined && !otherProtocols.includes(route.tag);
  return { name, route, mutates, reads, title: `${route.method} ${path()}`, path };
});

/** A body that the route could take, for those we know; an empty one is as good as any for what is refused before it is looked at. */
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

/** As it is given: fetch would mend Host and others. Streams are cut after their beginning. */
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

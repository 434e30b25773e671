/**
 * The door for the agent CLIs of this process: MCP with their participant's tools, and the model gateway. A server of its own on loopback, so that
 * it is there without a daemon too, and a sandbox that lets a program reach it does not let it reach anything else of ours.
 *
 * Opened with the first program. Every request needs the secret of a participant; which turn it is for, and whether there is one, is asked when it
 * acts (runtime/program).
 */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Gateway } from "../../gateway/gateway.ts";
import { createServer } from "../../lib/machine/http.ts";
import type { Mcp } from "../../mcp/server.ts";
import { Problem } from "../../schema/problem.ts";
import type { Bearer, Secrets } from "../../server/auth/secrets.ts";

export interface ProgramDoor {
  /** Starts listening, once. */
  open(): Promise<{ url: string; port: number }>;
  close(): Promise<void>;
}

export interface ProgramDoorOptions {
  secrets: Secrets;
  mcp: Pick<Mcp, "serve">;
  gateway: Gateway;
  fault(error: unknown): void;
}

/** A conversation with images. */
const mostBytes = 64 * 2 ** 20;

export function createProgramDoor({ secrets, mcp, gateway, fault }: ProgramDoorOptions): ProgramDoor {
  let server: Server | undefined;
  let opening: Promise<{ url: string; port: number }> | undefined;

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const bearer = bearerOf(request, url, secrets);
    if (!bearer)
      return Response.json({ error: { message: "this needs the secret of a participant" } }, { status: 401 });
    const body = request.method === "POST" ? await jsonOf(request) : undefined;
    if (url.pathname === "/mcp") return await mcp.serve(request, { kind: "participant", ...bearer }, body);
    const [, provider, rest] = /^\/gateway\/([\w.-]{1,100})(\/.*)$/.exec(url.pathname) ?? [];
    if (!provider || !rest)
      return Response.json({ error: { message: "there is only /mcp and /gateway/PROVIDER" } }, { status: 404 });
    return await gateway.serve(bearer, { provider, rest: `${rest}${url.search}`, request, body });
  }

  async function serve(request: Request): Promise<Response> {
    try {
      return await answer(request);
    } catch (error) {
      if (error instanceof Problem)
        return Response.json({ error: { type: error.code, message: error.message } }, { status: 400 });
      fault(error);
      return Response.json({ error: { message: "internal error; see the daemon's log" } }, { status: 500 });
    }
  }

  async function listen(): Promise<{ url: string; port: number }> {
    const { getRequestListener } = await import("@hono/node-server");
    const listener = getRequestListener(serve, { overrideGlobalObjects: false });
    const opened = createServer((request, response) => {
      // A page in a browser has no business here, whatever name it uses for this machine.
      if (!/^127\.0\.0\.1:\d+$/.test(request.headers.host ?? "") || request.headers.origin !== undefined)
        return void response.writeHead(403).end();
      void listener(request, response);
    });
    server = opened;
    await new Promise<void>((resolve, reject) => {
      opened.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    const { port } = opened.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, port };
  }

  return {
    open() {
      opening ??= listen();
      return opening;
    },
    async close() {
      await opening?.catch(() => undefined);
      server?.closeAllConnections();
      await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    },
  };
}

/** The providers' clients each send their key in a way of their own. */
function bearerOf({ headers }: Request, url: URL, secrets: Secrets): Bearer | undefined {
  const given = [
    /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "")?.[1],
    headers.get("x-api-key"),
    headers.get("x-goog-api-key"),
    url.searchParams.get("key"),
  ];
  for (const secret of given) {
    const bearer = secret ? secrets.verify(secret) : null;
    if (bearer) return bearer;
  }
  return undefined;
}

async function jsonOf(request: Request): Promise<unknown> {
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > mostBytes)
    throw new Problem("too_large", `the body has ${length} bytes; at most ${mostBytes} are allowed`);
  let size = 0;
  const pieces: Uint8Array[] = [];
  for await (const piece of request.body ?? []) {
    size += piece.length;
    if (size > mostBytes) throw new Problem("too_large", `the body has more than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  const text = Buffer.concat(pieces).toString();
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem("invalid", "the body is not JSON");
  }
}

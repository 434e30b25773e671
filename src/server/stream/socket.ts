/**
 * The same streams over a WebSocket, through the same gate: Host and Origin before anything else; then the token, from a header or the first frame.
 * A client that has not sent it within two seconds is disconnected, and so is a browser whose session ends. The stream begins with
 * `{"type":"subscribe","after"?,"types"?}`; or at once, where the URL has `after`.
 */
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { statusOf } from "../../api/errors.ts";
import { createFilter, EventQuery } from "../../api/events.ts";
import { AgentId } from "../../schema/ids.ts";
import { Problem } from "../../schema/problem.ts";
import type { Gate, Who } from "../auth/gate.ts";
import type { Served } from "../house.ts";
import { assertReady } from "./all.ts";
import { createOutlet, type Outlet, ping } from "./outlet.ts";

type Asked = Parameters<WebSocketServer["handleUpgrade"]>[0];

export interface Upgrade {
  /** For the `upgrade` event of an HTTP server. */
  upgrade(request: Asked, socket: Duplex, head: Buffer): void;
  close(): void;
}

const Frame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("auth"), token: z.string().max(1000) }),
  z.object({ type: z.literal("subscribe"), ...EventQuery.pick({ after: true, types: true }).shape }),
]);

const authMs = 2_000;
const mostInFlight = 64 * 1024;

export function createUpgrade(options: Served & { gate: Gate; known?(socket: object): void }): Upgrade {
  const { gate, clock, feed, heartbeatMs, ready, known } = options;
  const server = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024, perMessageDeflate: false });

  function upgrade(request: Asked, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    try {
      const headers = headersOf(request);
      gate.checkPlace(headers);
      const shown = headers.has("authorization") ? gate.checkToken(headers) : undefined;
      const target = targetOf(request);
      if (shown) known?.(socket);
      server.handleUpgrade(request, socket, head, (client) => greet(client, target, shown, () => known?.(socket)));
    } catch (error) {
      refuse(socket, error);
    }
  }

  function greet(client: WebSocket, target: Target, shown: Who | undefined, knows: () => void): void {
    let isKnown = shown !== undefined;
    endWith(client, shown);
    let outlet: Outlet | undefined;
    let begun = false;
    client.on("error", () => client.terminate());
    client.on("close", () => {
      cancel();
      outlet?.end();
    });
    const cancel = shown
      ? () => undefined
      : clock.after(authMs, () => fail(client, new Problem("unauthorized", "no token was sent within 2 seconds")));

    function begin(asked: { after?: string | undefined; types?: string | undefined }): void {
      if (begun) return;
      begun = true;
      serve(client, { ...target, after: asked.after ?? target.after, types: asked.types ?? target.types }).then(
        (made) => {
          outlet = made;
          if (client.readyState !== client.OPEN) made.end();
        },
        (error) => fail(client, error),
      );
    }

    if (isKnown && target.after !== undefined) begin({});
    client.on("message", (data) => {
      try {
        const frame = Frame.parse(JSON.parse(String(data)));
        if (frame.type === "auth") {
          endWith(client, gate.checkToken(new Headers({ authorization: `Bearer ${frame.token}` })));
          isKnown = true;
          knows();
          cancel();
          if (target.after !== undefined) begin({});
        } else if (!isKnown) throw new Problem("unauthorized", 'the first frame must be {"type":"auth","token":…}');
        else if (begun) throw new Problem("wrong_state", "this socket is already subscribed; open another one");
        else begin(frame);
      } catch (error) {
        fail(
          client,
          error instanceof Problem ? error : new Problem("invalid", "unknown frame; expected auth or subscribe"),
        );
      }
    });
  }

  async function serve(client: WebSocket, { agent, after, types }: Target): Promise<Outlet> {
    const wants = createFilter(types);
    const common = { wants, clock, heartbeatMs };
    if (agent !== undefined) {
      const seq = await feed.seqOf(agent, after);
      const outlet = carry(client, createOutlet({ ...common, form: "socket" }));
      outlet.begin(String(seq));
      feed.serve(agent, seq, outlet);
      return outlet;
    }
    assertReady(ready());
    const place = await feed.all.find(after);
    const outlet = carry(client, createOutlet({ ...common, form: "socket-all" }));
    outlet.begin(place.text);
    feed.all.serve(place, outlet);
    return outlet;
  }

  return {
    upgrade,
    close() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

interface Target {
  /** All if missing. */
  agent?: string;
  after?: string | undefined;
  types?: string | undefined;
}

function targetOf({ url = "/" }: Asked): Target {
  const { pathname, searchParams } = new URL(url, "http://here");
  const match = /^(?:\/agents\/([^/]+))?\/events$/.exec(pathname);
  if (!match)
    throw new Problem("not_found", `there is no stream at ${pathname}; streams: /events and /agents/{agent}/events`);
  const query = EventQuery.safeParse(Object.fromEntries(searchParams));
  if (!query.success)
    throw new Problem("invalid", `query ${query.error.issues[0]?.path.join(".")}: ${query.error.issues[0]?.message}`);
  const agent = match[1] === undefined ? undefined : AgentId.safeParse(match[1]);
  if (agent && !agent.success) throw new Problem("invalid", `${match[1]} is not a valid agent name`);
  return { ...(agent ? { agent: agent.data } : {}), after: query.data.after, types: query.data.types };
}

/** Disconnects when the client's session ends. */
function endWith(client: WebSocket, who: Who | undefined): void {
  const ended = who?.kind === "human" ? who.ended : undefined;
  const leave = () => fail(client, new Problem("unauthorized", "the session has ended"));
  ended?.addEventListener("abort", leave, { once: true });
  client.on("close", () => ended?.removeEventListener("abort", leave));
}

/** Sends while little is in flight; the rest waits in the outlet, where it is bounded. */
function carry(client: WebSocket, outlet: Outlet): Outlet {
  let finished = false;
  function flow(): void {
    while (client.readyState === client.OPEN && client.bufferedAmount < mostInFlight) {
      const bytes = outlet.next();
      if (!bytes) break;
      if (bytes === ping) client.ping();
      else client.send(bytes, { binary: false }, sent);
    }
    if (finished && client.bufferedAmount < mostInFlight) client.close(1013, "resync");
  }
  const sent = (error?: Error): void => {
    if (!error) flow();
  };
  outlet.attach({
    wake: flow,
    finish() {
      finished = true;
      flow();
    },
    cut: () => client.terminate(),
  });
  return outlet;
}

/** The reason is sent as a frame, because a close frame has little room. */
function fail(client: WebSocket, error: unknown): void {
  const { code, message } = error instanceof Problem ? error : new Problem("closed", "the stream could not be started");
  if (client.readyState === client.OPEN) client.send(JSON.stringify({ type: "error", error: { code, message } }));
  client.close(4000 + statusOf[code], code);
}

function refuse(socket: Duplex, error: unknown): void {
  const problem =
    error instanceof Problem ? error : new Problem("invalid", "WebSocket upgrade failed: unsupported path or protocol");
  const { code, message } = problem;
  const body = `${JSON.stringify({ error: { code, message } })}\n`;
  const status = statusOf[code];
  socket.end(
    `HTTP/1.1 ${status} ${code}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function headersOf(request: Asked): Headers {
  const headers = new Headers();
  for (const name of ["host", "origin", "authorization"]) {
    const value = request.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return headers;
}

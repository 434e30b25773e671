/**
 * The daemon's routes in front of a simulated process, and the way to them: the real server and the real client, without sockets.
 *
 * A connection takes a moment, breaks when its process dies, and now and then loses an answer. Whoever is cut off while reading a stream is
 * told so, as a socket would.
 */
import { verify } from "../src/channel/sign.ts";
import { type Client, createClient } from "../src/client/index.ts";
import { createKeeper, readSessions } from "../src/main/daemon/session-file.ts";
import type { Runtime } from "../src/runtime/runtime.ts";
import { createGate } from "../src/server/auth/gate.ts";
import { proofOf } from "../src/server/auth/proof.ts";
import { createSecrets } from "../src/server/auth/secrets.ts";
import { createSessions } from "../src/server/auth/sessions.ts";
import { createServer } from "../src/server/index.ts";
import { createKeep } from "../src/server/stream/cursor-files.ts";
import { createFeed } from "../src/server/stream/feed.ts";
import { createSummaries } from "../src/server/summaries.ts";
import type { Fleet } from "./fleet.ts";
import type { SimRandom } from "./random.ts";
import type { Life } from "./time.ts";
import type { Witness } from "./witness.ts";
import type { Incarnation, SimWorld } from "./world.ts";

/** Answers one request. */
export type Door = (request: Request) => Promise<Response>;

export const host = "127.0.0.1:5099";
export const token = "the-token-of-the-simulated-daemon";
export const channelSecret = "a secret of the simulated channel";

/** Before the runtime is started. */
export async function createDoor(
  home: string,
  { clock, random, files, number }: Incarnation,
  runtime: Runtime,
  ready: () => boolean,
  witness: Witness,
): Promise<Door> {
  const sessions = createSessions({
    clock,
    random,
    kept: await readSessions(home, files),
    keep: createKeeper(home, files),
  });
  const secrets = createSecrets(random.hex(32));
  const app = createServer({
    runtime,
    summaries: createSummaries(runtime),
    clock,
    ready,
    version: "0.0.0",
    budget: {},
    model: async (wanted) => wanted ?? "sim/a1",
    folder: async (path) => path,
    channel: (_name, signature, text) => verify(channelSecret, signature, text, clock.now()),
    feed: createFeed({ runtime, keep: createKeep(files, `${home}/streams`), random }),
    gate: createGate({ token, hosts: () => [host], clock, secrets, sessions }),
    self: {
      pid: number,
      home,
      started_at: new Date(clock.now()).toISOString(),
      prove: (challenge) => proofOf(token, challenge),
      memory: () => 0,
      stopping: new AbortController().signal,
    },
    fault: (error, { method, url }) =>
      witness.violated("door", `${method} ${new URL(url).pathname} is a fault: ${(error as Error).stack}`),
  });
  return async (request) => await app.fetch(request);
}

export interface Caller {
  sim: SimWorld;
  fleet: Fleet;
  dice: SimRandom;
  /** Chance that an answer is lost on its way. */
  lost(): number;
}

/** What a browser does besides: says the token of its session instead. */
export interface Browser {
  headers(): Record<string, string>;
}

/** What `fetch`, or reading the answer, rejects with when the process is gone or the network lost something. */
export class ConnectionLost extends TypeError {}

/** A client of whichever process is up. */
export function createCaller({ sim, fleet, dice, lost }: Caller, browser?: Browser): Client {
  const { time } = sim;
  let made = 0;

  function fetch(url: string, init: RequestInit): Promise<Response> {
    const up = fleet.any();
    const { door } = up ?? {};
    if (!up || !door) return Promise.reject(new ConnectionLost("nobody listens"));
    const { life } = up.world;
    const own = { ...(init.headers as Record<string, string>), host, ...browser?.headers() };
    const signal = relayed(init.signal);
    return new Promise((resolve, reject) => {
      life.onEnd(() => reject(new ConnectionLost("the connection broke")));
      time.after(1 + dice.int(20), () => {
        if (life.ended) return;
        door(new Request(url, { ...init, headers: own, signal })).then((response) => {
          if (dice.chance(lost())) reject(new ConnectionLost("the answer was lost"));
          else resolve(connected(response, life));
        }, reject);
      });
    });
  }

  return createClient({
    url: `http://${host}`,
    ...(browser ? {} : { token }),
    fetch,
    after: time.after,
    random: dice.next,
    unique: () => `${++made}-${dice.hex(8)}`,
  });
}

/**
 * A signal that aborts with the given one and knows nobody else. Node keeps the signal of a request, and with it all that listens to it, until
 * the request is collected; a listener that leads to the request, as that of a reader does, would keep its whole world for ever.
 */
function relayed(given: AbortSignal | null | undefined): AbortSignal | null {
  if (!given) return null;
  const relay = new AbortController();
  given.addEventListener("abort", () => relay.abort(given.reason), { once: true });
  if (given.aborted) relay.abort(given.reason);
  return relay.signal;
}

/** The answer as it comes over a connection that breaks with the process. */
function connected(response: Response, life: Life): Response {
  const { status, headers, body } = response;
  if (!body) return response;
  const reader = body.getReader();
  const broken = new Promise<never>((_, reject) =>
    life.onEnd(() => reject(new ConnectionLost("the connection broke"))),
  );
  broken.catch(() => undefined);
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await Promise.race([reader.read(), broken]);
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { status, headers });
}

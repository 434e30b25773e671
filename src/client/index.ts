/** What `import … from "agiraph/client"` gives: every route of a daemon as a typed function, its events as they happen, a live state. */
import { type RouteName, routes } from "../api/index.ts";
import { throughHeader } from "../api/through.ts";
import type { Event } from "../schema/event.ts";
import { Problem, type ProblemCode } from "../schema/problem.ts";
import { type Answer, type Arguments, type Connection, call, type Hear } from "./call.ts";
import { type EventsOptions, follow, type Happened } from "./events.ts";
import { createFold, type Fold, type FoldOptions } from "./fold.ts";
import { type Platform, platform } from "./platform.ts";
import { overHttp, type Transport } from "./transport.ts";

export type { WireDelta } from "../api/events.ts";
export type { State } from "../core/state.ts";
export type { Event } from "../schema/event.ts";
export type { EventsOptions, Fold, FoldOptions, Happened, Hear, Transport };
export { Problem, type ProblemCode };

type Methods = {
  [Name in RouteName]: (...given: Arguments<(typeof routes)[Name]>) => Promise<Answer<(typeof routes)[Name]>>;
};

export interface Client extends Methods {
  /** Any route by its name: `call("createAgent", { body: { goal } })`, the same as `createAgent({ body: { goal } })`. */
  call<Name extends RouteName>(
    name: Name,
    ...given: Arguments<(typeof routes)[Name]>
  ): Promise<Answer<(typeof routes)[Name]>>;
  events(options?: EventsOptions): AsyncGenerator<Happened, void, void>;
  fold(options: FoldOptions): Fold;
}

export interface ClientOptions extends Partial<Platform> {
  /** `http://127.0.0.1:5099`; in the browser "" for the page's own origin. */
  url?: string;
  /** From daemon.json, or of a browser session; a function is called each time, because a new session has a new one. */
  token?: string | (() => string | undefined);
  /** Instead of `url` and `token`: another transport to the routes. */
  transport?: Transport;
  /** The protocol of the program this client acts for. Such programs may do less: the config says whether they may decide approvals. */
  through?: "mcp" | "a2a";
  /** Rewrites the text of a problem for the reader, with commands as they are typed there. */
  wording?(text: string): string;
}

/** Calls throw a Problem with its code; `unreachable` if there is no daemon after all. */
export function createClient({ url = "", token, transport, through, wording, ...given }: ClientOptions): Client {
  const here = { ...platform, ...given };
  const address = () => ({ url: url.replace(/\/$/, ""), token: typeof token === "function" ? token() : token });
  const connection: Connection = {
    platform: here,
    transport: transport ?? overHttp(here.fetch, address),
    headers: through ? { [throughHeader]: through } : {},
  };
  const ask =
    (name: RouteName) =>
    async (said: object = {}) => {
      try {
        return await call(connection, routes[name], said);
      } catch (error) {
        if (wording && error instanceof Problem) error.message = wording(error.message);
        throw error;
      }
    };
  const methods = Object.fromEntries((Object.keys(routes) as RouteName[]).map((name) => [name, ask(name)]));
  const events = (options: EventsOptions = {}) => follow(connection, options);
  const page = async (agent: string, after: number) =>
    (await call(connection, routes.listEvents, { params: { agent }, query: { after, limit: 1000 } })) as {
      items: Event[];
      next: string | null;
    };
  return {
    ...(methods as unknown as Methods),
    call: (name, ...[said]) => ask(name)(said) as never,
    events,
    fold: (options) => createFold({ page, events }, options),
  };
}

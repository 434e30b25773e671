/** A route's handler: it gets the validated request, and returns the response or throws a Problem. It decides nothing itself. */
import type { z } from "zod";
import type { Route, Routes, Taken } from "../api/route.ts";
import type { Way } from "../api/through.ts";
import type { SendOptions } from "../schema/command.ts";

export interface Call<R extends Route> {
  params: Taken<R, "params">;
  query: Taken<R, "query">;
  body: Taken<R, "body">;
  /** Idempotency key of a change, for the runtime; already in the form that commands take. */
  key: string | undefined;
  /** The protocol by which a program acts for the human, if it is one. */
  through: Way | undefined;
  /** Aborts when the caller disconnects or the daemon stops. */
  signal: AbortSignal;
  request: Request;
  /** The caller is on this machine, without a proxy between. */
  isHere: boolean;
  /** Drops the connection of a stream whose reader does not read (backpressure). */
  cut(): void;
}

/** A successful response with another status than the usual one. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  /** Stored for repeats with the same idempotency key; otherwise the handler runs again. */
  readonly keep: boolean;
  constructor(status: number, body: unknown, keep = true) {
    this.status = status;
    this.body = body;
    this.keep = keep;
  }
}

/** A Response is for files and streams. */
export type Handler<R extends Route> = (call: Call<R>) => Promise<z.input<R["answer"]> | Reply | Response>;
export type Handlers<T extends Routes> = { [Name in keyof T]: Handler<T[Name]> };

/** The prefix of an Idempotency-Key as commands take it: apart from keys that the runtime makes itself. */
export const keyPrefix = "http/";

/** How a command of the human is sent. */
export const byHuman = (key: string | undefined): SendOptions => ({
  actor: "human",
  ...(key === undefined ? {} : { key }),
});

/** What a route's handler is: it gets what was asked, checked, and gives the answer or throws a Problem. It decides nothing itself. */
import type { z } from "zod";
import type { Route, Routes, Taken } from "../api/route.ts";
import type { Way } from "../api/through.ts";
import type { SendOptions } from "../schema/command.ts";

export interface Call<R extends Route> {
  params: Taken<R, "params">;
  query: Taken<R, "query">;
  body: Taken<R, "body">;
  /** Of a change: for the runtime, so that it happens once. Already in the form that commands take. */
  key: string | undefined;
  /** The caller is a program that speaks for the human by this protocol. */
  through: Way | undefined;
  /** The caller went away, or the daemon stops. */
  signal: AbortSignal;
  request: Request;
  /** The caller is on this machine, and no proxy is between. */
  isHere: boolean;
  /** Drops the connection, for a stream whose reader does not read. */
  cut(): void;
}

/** A good answer with another status than the usual one. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  /** Given again as it is to whoever asks with the same key; else the handler is asked again. */
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

/** An Idempotency-Key as commands take it: apart from those that the runtime makes itself. */
export const keyPrefix = "http/";

/** How a command of the human is sent. */
export const byHuman = (key: string | undefined): SendOptions => ({
  actor: "human",
  ...(key === undefined ? {} : { key }),
});

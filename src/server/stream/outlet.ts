/**
 * The bounded queue of one reader of a stream (backpressure), whatever the transport. The transport takes with `next` when it has room and is woken
 * when there is more.
 *
 * Always holds: at most `mostBytes` are queued, except for a single larger event. A reader that would exceed this is told to resync and dropped:
 * `over` is true at once, so that nothing more is offered, and its queue is discarded. A reader that takes nothing for `patience` heartbeats
 * although something is queued is dropped as well.
 */

import type { Damage } from "../../api/events.ts";
import type { Clock } from "../../lib/world.ts";
import { damageFrame, encodeLine, type Form, isSse, type Line, resyncFrame } from "./frame.ts";

export interface OutletOptions {
  form: Form;
  wants(type: string): boolean;
  clock: Clock;
  /** Default 15 s. */
  heartbeatMs?: number | undefined;
}

export interface Carrier {
  wake(): void;
  /** Nothing more comes; the rest is small and may be given a moment. */
  finish(): void;
  /** Drops the connection. */
  cut(): void;
}

export interface Outlet {
  /** Live events: queued or the reader is dropped, never waited for. */
  take(lines: readonly Line[]): void;
  delta(frame: (form: Form) => Uint8Array): void;
  /** An agent cannot be read. Whatever types the reader wants, it is told. */
  damage(damage: Damage): void;
  /** Events from the log: resolves when there is room for the next. */
  feed(line: Line): Promise<void>;
  /** The reader's cursor before its first event. */
  begin(place: string): void;
  attach(carrier: Carrier): void;
  /** What to send now: for SSE as much as fits a packet or two, for a WebSocket one frame. */
  next(): Uint8Array | undefined;
  over(): boolean;
  readonly signal: AbortSignal;
  end(): void;
}

/** A transport buffers some more; together they stay below 1 MiB. */
const mostBytes = 768 * 1024;
const enough = 128 * 1024;
const packet = 64 * 1024;
const patience = 4;
const graceMs = 5_000;

export function createOutlet({ form, wants, clock, heartbeatMs = 15_000 }: OutletOptions): Outlet {
  let queue: { bytes: Uint8Array; place?: string }[] = [];
  let waiting = 0;
  let carrier: Carrier | undefined;
  let room: (() => void) | undefined;
  const ending = new AbortController();
  /** The last cursor that was sent, and the last that passed; they differ where events are filtered. */
  let given = "";
  let passed = "";
  let idleBeats = 0;
  let cancelBeat = clock.after(heartbeatMs, beat);

  const over = () => ending.signal.aborted;

  function push(bytes: Uint8Array, place?: string): void {
    if (waiting > 0 && waiting + bytes.length > mostBytes) {
      overflow();
      return;
    }
    queue.push(place === undefined ? { bytes } : { bytes, place });
    waiting += bytes.length;
  }

  function stop(): void {
    cancelBeat();
    ending.abort();
    room?.();
  }

  function overflow(): void {
    const last = resyncFrame(form, given);
    queue = [{ bytes: last }];
    waiting = last.length;
    stop();
    finish();
  }

  function finish(): void {
    carrier?.finish();
    clock.after(graceMs, () => {
      queue = [];
      carrier?.cut();
    });
  }

  function offer(line: Line): void {
    passed = placeOf(line);
    if (wants(line.type)) push(encodeLine(line, form), passed);
  }

  const placeOf = ({ seq, place }: Line): string => (form.endsWith("-all") ? place : String(seq));

  function beat(): void {
    cancelBeat = clock.after(heartbeatMs, beat);
    if (waiting === 0) {
      idleBeats = 0;
      if (!isSse(form)) push(ping);
      else if (given === passed) push(comment);
      else push(Buffer.from(`id: ${passed}\n\n`), passed);
      carrier?.wake();
    } else if (++idleBeats >= patience) {
      overflow();
      carrier?.cut();
    }
  }

  return {
    take(lines) {
      for (const line of lines) if (!over()) offer(line);
      if (waiting > 0) carrier?.wake();
    },
    delta(frame) {
      if (over() || !wants("delta")) return;
      push(frame(form));
      carrier?.wake();
    },
    damage(damage) {
      if (over()) return;
      push(damageFrame(form, damage));
      carrier?.wake();
    },
    async feed(line) {
      if (over()) return;
      offer(line);
      if (waiting === 0) return;
      carrier?.wake();
      if (waiting <= enough || over()) return;
      await new Promise<void>((resolve) => {
        room = resolve;
      });
    },
    begin(place) {
      given = place;
      passed = place;
      if (isSse(form)) push(Buffer.from(`id: ${place}\n\n`), place);
    },
    attach(given) {
      carrier = given;
      if (over()) carrier.finish();
      else if (waiting > 0) carrier.wake();
    },
    next() {
      if (queue.length === 0) return undefined;
      idleBeats = 0;
      const parts: Uint8Array[] = [];
      let size = 0;
      let taken = 0;
      for (const { bytes, place } of queue) {
        if (taken > 0 && (!isSse(form) || size + bytes.length > packet)) break;
        parts.push(bytes);
        size += bytes.length;
        if (place !== undefined) given = place;
        taken++;
      }
      queue.splice(0, taken);
      waiting -= size;
      if (waiting <= enough) {
        room?.();
        room = undefined;
      }
      return parts.length === 1 ? parts[0] : Buffer.concat(parts, size);
    },
    over,
    signal: ending.signal,
    end() {
      if (over()) return;
      stop();
      finish();
    },
  };
}

const comment = Buffer.from(":\n\n");
/** WebSockets send a ping for it. */
export const ping = new Uint8Array(0);

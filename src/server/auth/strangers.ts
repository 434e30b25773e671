/**
 * Unauthenticated connections. Anyone who can reach the port can open them, so their number is limited: beyond it, the one that has been silent
 * longest is closed. A client that sends its token with the first request is not among them for long.
 */
import type { Clock } from "../../lib/world.ts";

/** What of a socket is needed here. */
export interface Connection {
  destroy(): unknown;
  once(event: "close", call: () => void): unknown;
}

export interface Strangers {
  come(socket: Connection): void;
  /** A request on it was authenticated. */
  prove(socket: object): void;
}

export function createStrangers({ clock, most, graceMs }: { clock: Clock; most: number; graceMs: number }): Strangers {
  /** When each connected, earliest first. */
  const unknown = new Map<object, { at: number; destroy(): unknown }>();
  return {
    come(socket) {
      unknown.set(socket, { at: clock.mono(), destroy: () => socket.destroy() });
      socket.once("close", () => unknown.delete(socket));
      for (const [other, { at, destroy }] of unknown) {
        if (unknown.size <= most || clock.mono() - at < graceMs) return;
        unknown.delete(other);
        destroy();
      }
    },
    prove: (socket) => void unknown.delete(socket),
  };
}

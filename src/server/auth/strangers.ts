/**
 * Connections on which nobody has shown a token yet. Anyone who can reach the port can open them, so there are only so many at once: when there
 * are more, the one that has been silent for longest is closed. Whoever shows a token with the first request is never among them for long.
 */
import type { Clock } from "../../lib/world.ts";

/** What of a socket is needed here. */
export interface Connection {
  destroy(): unknown;
  once(event: "close", call: () => void): unknown;
}

export interface Strangers {
  come(socket: Connection): void;
  /** A token was shown on it. */
  prove(socket: object): void;
}

export function createStrangers({ clock, most, graceMs }: { clock: Clock; most: number; graceMs: number }): Strangers {
  /** When each came, the earliest first. */
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

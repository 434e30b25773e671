/**
 * How many requests of one connection may wait for their answers. No client asks again before it has its answer; only the end of an answer may cross
 * the next request. Whoever sends thousands at once would have all of them handled in one turn of the loop, so the third ends the connection.
 */
import type { Socket } from "node:net";

const mostWaiting = 2;

export interface ConnectionTurns {
  /** False if there are too many; the connection is ended then, and nothing more of it is handled. */
  begin(socket: Socket): boolean;
  end(socket: Socket): void;
}

export function createConnectionTurns(): ConnectionTurns {
  const waiting = new WeakMap<Socket, number>();
  return {
    begin(socket) {
      const count = (waiting.get(socket) ?? 0) + 1;
      if (count > mostWaiting || socket.destroyed) {
        dropRest(socket);
        socket.destroy();
        return false;
      }
      waiting.set(socket, count);
      return true;
    },
    end(socket) {
      waiting.set(socket, waiting.get(socket)! - 1);
    },
  };
}

/**
 * Node makes an object of every request in the 64 kB that it has read, also when the connection is destroyed: over a thousand, some ms. Without its
 * callbacks, which it has under small numbers, the parser goes over them in no time. They are put back when the connection has closed: parsers are
 * used again. test/attack/http.test.ts notices if another version of Node keeps them elsewhere.
 */
function dropRest(socket: Socket): void {
  const { parser } = socket as unknown as { parser?: Record<number, unknown> };
  if (!parser) return;
  const callbacks = [0, 1, 2, 3, 4].map((place) => [place, parser[place]] as const);
  for (const [place] of callbacks) parser[place] = undefined;
  socket.once("close", () => {
    for (const [place, callback] of callbacks) parser[place] = callback;
  });
}

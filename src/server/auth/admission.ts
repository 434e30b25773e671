/**
 * Admission control: reads new connections a few at a time. The kernel hands over all pending ones at once, and all would be read, answered and
 * closed in the same turn of the event loop; so they are accepted without being read, and read in turn. A single connection does not wait.
 */
export interface Comer {
  resume(): unknown;
  destroyed: boolean;
}

export interface Admission {
  come(socket: Comer): void;
}

/** `later` calls back in the next turn of the loop. */
export function createAdmission(each: number, later: (call: () => void) => void): Admission {
  const waiting: Comer[] = [];
  let room = each;
  function next(): void {
    const some = waiting.splice(0, each);
    room = each - some.length;
    for (const socket of some) if (!socket.destroyed) socket.resume();
    if (some.length) later(next);
  }
  return {
    come(socket) {
      if (room === each) later(next);
      if (room > 0) {
        room--;
        socket.resume();
      } else waiting.push(socket);
    },
  };
}

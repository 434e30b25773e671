/**
 * A process of clients, so that what they cost is not counted as the daemon's: reads server-sent events over plain sockets and tells its
 * parent, for each message, when the last of them had it. Times are of the machine's clock, so that two processes can compare them.
 */
import { connect } from "node:net";

const [port, path, token, count] = process.argv.slice(2) as [string, string, string, string];
const wanted = Number(count);
const times = new Map<string, number[]>();
let ready = 0;

for (let n = 0; n < wanted; n++) {
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`,
  );
  let begun = false;
  let rest = "";
  socket.setEncoding("latin1");
  socket.on("data", (part: string) => {
    const at = performance.timeOrigin + performance.now();
    const text = rest + part;
    if (!begun && text.includes("id: ")) {
      begun = true;
      if (++ready === wanted) process.send!({ ready });
    }
    const marks = [...text.matchAll(/mark-(\d+);/g)];
    for (const [, mark] of marks) told(mark!, at);
    const last = marks.at(-1);
    rest = last ? text.slice(last.index + last[0].length).slice(-20) : text.slice(-20);
  });
  socket.on("error", (error) => {
    process.send!({ failed: String(error) });
  });
}

function told(mark: string, at: number): void {
  const seen = times.get(mark) ?? [];
  seen.push(at);
  times.set(mark, seen);
  if (seen.length === wanted) {
    process.send!({ mark, times: seen });
    times.delete(mark);
  }
}
process.on("disconnect", () => process.exit());

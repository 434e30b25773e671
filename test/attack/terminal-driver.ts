/**
 * Runs commands one after the other in one process that believes it has a terminal, and prints as JSON what each wrote to it.
 * node terminal-driver.ts '[["ls"],…]'
 */
import { main } from "../../src/main.ts";

const rows = JSON.parse(process.argv[2]!) as string[][];
const { stdout, stderr } = process;
const write = stdout.write.bind(stdout);
let written = "";
for (const stream of [stdout, stderr]) {
  Object.assign(stream, { isTTY: true, columns: 100, rows: 40 });
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    written += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("latin1");
    const done = rest.findLast((one) => typeof one === "function") as (() => void) | undefined;
    done?.();
    return true;
  }) as typeof stream.write;
}
const said: string[] = [];
for (const args of rows) {
  written = "";
  // Those that stay are left as with Ctrl-C, once and when they hear it.
  const leave = setInterval(() => {
    if (process.listenerCount("SIGINT") === 0) return;
    clearInterval(leave);
    process.emit("SIGINT");
  }, 600);
  await main(args).catch((error: unknown) => {
    written += String(error);
  });
  clearInterval(leave);
  said.push(written);
}
write(JSON.stringify(said), () => process.exit(0));

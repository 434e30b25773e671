/** What a person types, line by line, under what is being written: the line under way is put back after every output. */
import { createInterface } from "node:readline";

export interface Input {
  lines(hear: (line: string) => void): void;
  /** Draws the line under way again, after something was written above it. */
  redraw(): void;
  close(): void;
}

export function createInput(from: NodeJS.ReadableStream, to: NodeJS.WritableStream, interrupted: () => void): Input {
  const reader = createInterface({ input: from, output: to, prompt: "› ", historySize: 100 });
  reader.on("SIGINT", interrupted);
  let open = true;
  reader.on("close", () => {
    open = false;
  });
  return {
    lines: (hear) => void reader.on("line", hear),
    redraw: () => void (open && reader.prompt(true)),
    close() {
      if (open) reader.close();
    },
  };
}

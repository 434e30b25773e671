/**
 * What a person types, line by line, under what is being written: the line under way is put back after every output.
 *
 * `below` says where the cursor is, so that what stands above can be erased and drawn again without touching what is typed.
 */
import { createInterface } from "node:readline";
import { widthOf } from "./text.ts";

export interface Input {
  lines(hear: (line: string) => void): void;
  /** Whether something is typed and not yet sent. */
  typing(): boolean;
  /** Rows from the first one of the line under way down to the cursor; what was just sent counts until it is drawn over. */
  below(): number;
  /** Draws the line under way again, on a row of its own. */
  redraw(): void;
  close(): void;
}

const prompt = "› ";

export function createInput(
  from: NodeJS.ReadableStream,
  to: NodeJS.WritableStream & { columns?: number },
  interrupted: () => void,
): Input {
  const reader = createInterface({ input: from, output: to, prompt, historySize: 100 });
  reader.on("SIGINT", interrupted);
  let open = true;
  /** Rows of lines that were sent and still stand on the screen. */
  let sent = 0;
  reader.on("close", () => {
    open = false;
  });
  reader.on("line", (line) => {
    sent += Math.floor(widthOf(prompt + line) / (to.columns || 80)) + 1;
  });
  return {
    lines: (hear) => void reader.on("line", hear),
    typing: () => open && reader.line !== "",
    below: () => sent + (open ? reader.getCursorPos().rows : 0),
    redraw() {
      sent = 0;
      if (!open) return;
      // It moves up by as many rows as the cursor was below its first one before it draws.
      to.write("\n".repeat(reader.getCursorPos().rows));
      reader.prompt(true);
    },
    close() {
      if (open) reader.close();
    },
  };
}

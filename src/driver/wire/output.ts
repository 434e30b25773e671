/**
 * The output of a program, line by line. It is read only while somebody waits for a line, so a program that is too fast blocks (backpressure). No
 * chunk is lost when nobody waits for it any more.
 */
import type { Clock, Running } from "../../lib/world.ts";
import type { Limits } from "../driver.ts";
import { createLines, type Line } from "./lines.ts";

/** silent: nothing came in time. overdue: it was to have ended by now. */
type Late = "silent" | "overdue";

export interface Output {
  /** The volume of a turn is counted from here. */
  begin(): void;
  /** Resolves when there is a line to `take`, or with why there is none. */
  more(): Promise<"line" | Late | "end" | "flood">;
  /** The next line, if one was read. */
  take(): Line | undefined;
  /** It has ended its turn too late: whoever waits for a line, now or later, is told. */
  giveUp(): void;
  /** The time of silence begins again. */
  restart(): void;
  /** Reads to its end: without a reader a program would block and never exit. */
  drain(): Promise<void>;
}

export interface OutputOptions {
  clock: Clock;
  limits: Limits;
  /** How long it may be silent now; undefined: as long as it likes. */
  patience(): number | undefined;
}

export function createOutput(running: Pick<Running, "output">, { clock, limits, patience }: OutputOptions): Output {
  const pieces = running.output[Symbol.asyncIterator]();
  const lines = createLines(limits.line);
  /** Lines that were read and not taken: from `at` on. */
  let read: Line[] = [];
  let at = 0;
  let piece: Promise<string | undefined> | undefined;
  let volume = 0;
  let overdue = false;
  /** Wakes whoever waits. */
  let notice: (late: Late | "again") => void = () => undefined;

  /** The next chunk; undefined at the end. */
  function nextPiece(): Promise<string | undefined> {
    piece ??= pieces.next().then(
      ({ done, value }) => (done ? undefined : value),
      () => undefined,
    );
    return piece;
  }

  const hasLine = () => at < read.length;

  return {
    begin() {
      volume = 0;
      overdue = false;
    },
    async more() {
      while (!hasLine()) {
        if (overdue) return "overdue";
        let cancel: () => void = () => undefined;
        const got = await new Promise<string | undefined | { late: Late | "again" }>((resolve) => {
          void nextPiece().then(resolve);
          notice = (late) => resolve({ late });
          const limit = patience();
          if (limit !== undefined) cancel = clock.after(limit, () => resolve({ late: "silent" }));
        });
        cancel();
        if (typeof got === "object") {
          if (got.late !== "again") return got.late;
          continue;
        }
        piece = undefined;
        if (got === undefined) {
          [read, at] = [lines.rest(), 0];
          if (hasLine()) break;
          return "end";
        }
        volume += got.length;
        [read, at] = [lines.take(got), 0];
        if (lines.open() > limits.line || volume > limits.turn) return "flood";
      }
      return "line";
    },
    take: () => read[at++],
    giveUp() {
      overdue = true;
      notice("overdue");
    },
    restart: () => notice("again"),
    async drain() {
      while ((await nextPiece()) !== undefined) piece = undefined;
    },
  };
}

/**
 * Gives a running program one prompt and follows it to the end of its turn: what it does is recorded (cli-record.ts), what reaches it meanwhile is
 * given to it (cli-attend.ts). When this has ended the program has, too. A turn that reports without end, or that spends what it has not, is ended.
 */
import { BackendError, type Part } from "../../backend/backend.ts";
import type { End, Session } from "../../driver/driver.ts";
import { createAttendance } from "./cli-attend.ts";
import { createCliRecord } from "./cli-record.ts";
import type { CliTurn } from "./cli-turn.ts";
import type { Installed } from "./host.ts";

/** So many records may be on their way to the disk. */
const mostPending = 50;
/** What it said is recorded with its next step, or when it has said nothing for this long. */
const quietMs = 30_000;

export async function* playTurn(
  by: CliTurn,
  installed: Installed,
  session: Session,
  prompt: string,
  signal: AbortSignal,
): AsyncGenerator<Part, End> {
  const { name, of, options, ration, record } = by;
  const { live, world } = options;
  const recorder = createCliRecord(by, installed);
  const attendance = createAttendance(by, installed, session);
  const listening = new AbortController();
  const interrupt = () => session.interrupt();
  signal.addEventListener("abort", interrupt, { once: true });
  let attends = false;
  let pending = 0;
  let wait: () => void = () => undefined;
  try {
    for await (const activity of session.prompt(prompt)) {
      // Before its turn is under way it hears nothing.
      if (!attends) attendance.attend(listening.signal).catch(() => undefined); // the log failed: its signal says so
      attends = true;
      wait();
      switch (activity.type) {
        case "heard":
          attendance.heard();
          break;
        case "conversation":
          record({ type: "program.open", ...of, driver: name, session: activity.id });
          await live.durable();
          break;
        case "text":
          recorder.text(activity.text);
          yield { type: "thought", text: activity.text };
          break;
        case "thought":
          yield activity;
          break;
        case "tool":
          recorder.tool(activity);
          break;
        case "result":
          recorder.result(activity);
          break;
        case "usage":
          recorder.usage(activity);
          if (by.overdrawn()) session.interrupt();
          break;
        case "permission":
          void attendance.permit(activity, listening.signal);
          break;
        case "notice":
          recorder.notice(activity.text);
          break;
        case "end":
          if (activity.how !== "done") recorder.flush();
          return activity;
      }
      if (ration.isOver())
        throw new BackendError(
          "permanent",
          `${name} reported more than can be recorded in one turn; it was ended. It said last: ${recorder.lastWords() || "nothing"}`,
        );
      wait = world.clock.after(quietMs, recorder.flush);
      if (activity.type !== "text" && activity.type !== "thought" && ++pending >= mostPending) {
        pending = 0;
        await live.durable();
      }
      await world.point?.("program.activity");
    }
    throw new BackendError("transient", `${name} ended its turn without saying so`);
  } finally {
    wait();
    listening.abort();
    signal.removeEventListener("abort", interrupt);
    recorder.close();
    await session.close();
  }
}

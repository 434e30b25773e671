/** Answers and votes that can still be undone: their toasts, and what the places where they were given show of them. */
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { plural } from "../parts/text/words.ts";
import { type HeldAnswer, undoMs } from "../store/held.ts";
import { useAnswers, useHeld, useNow } from "../store/hooks.ts";

/** How one of them stands, and the seconds that are left; counts along. */
export function useHolding(held: HeldAnswer): { status: "held" | "sending" | "waiting"; left: number } {
  const now = useNow(1_000);
  return {
    status: useAnswers().status(held),
    left: Math.min(undoMs / 1000, Math.max(1, Math.ceil((held.due - now) / 1000))),
  };
}

export function HeldStatus({ held }: { held: HeldAnswer }) {
  const { status, left } = useHolding(held);
  if (status === "sending") return "on its way";
  return status === "waiting" ? "kept here; sent when the daemon is back" : `sent in ${left} s`;
}

export function HeldButtons({ held }: { held: HeldAnswer }) {
  const answers = useAnswers();
  const { status } = useHolding(held);
  if (status === "sending") return null;
  return (
    <>
      <Button onClick={() => answers.undo(held.batch)}>Undo</Button>
      {status === "held" ? (
        <Button look="ghost" onClick={() => answers.sendNow(held.batch)}>
          Send now
        </Button>
      ) : null}
    </>
  );
}

export function HeldToasts() {
  const held = useHeld();
  // All of them, however many: each is the only way back.
  const batches = [...new Set(held.map(({ batch }) => batch))];
  return batches.map((batch) => <One key={batch} all={held.filter((one) => one.batch === batch)} />);
}

function One({ all }: { all: readonly HeldAnswer[] }) {
  const answers = useAnswers();
  const [first] = all as [HeldAnswer];
  const { status, left } = useHolding(first);
  const approval = "decision" in first.said;
  const vote = "vote" in first.said;
  const title = vote
    ? "Voted"
    : all.length > 1
      ? `${plural(all.length, "call")} approved`
      : approval
        ? first.words
        : "Answered";
  return (
    <div className="toast done" role="status">
      <Icon name={status === "waiting" ? "clock" : "check"} />
      <div className="grow">
        <b className="ell">{title}</b>
        <p className="two">
          {status === "waiting"
            ? "Kept here; it is sent when the daemon is back."
            : vote
              ? `“${first.words}”, on what ${first.who} proposed.`
              : all.length > 1 || approval
                ? `${all.length > 1 ? "They continue" : `${first.who} continues`} with it.`
                : `${first.who} continues with “${first.words}”.`}
        </p>
      </div>
      {status === "sending" ? (
        <span className="dim">sending</span>
      ) : (
        <span className="held-b">
          <button type="button" className="lnk num" onClick={() => answers.undo(first.batch)}>
            Undo{status === "held" ? <span aria-hidden="true">, {left} s</span> : null}
          </button>
          {status === "held" ? (
            <button type="button" className="lnk" onClick={() => answers.sendNow(first.batch)}>
              Send now
            </button>
          ) : null}
        </span>
      )}
    </div>
  );
}

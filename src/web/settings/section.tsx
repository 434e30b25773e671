/** A section of the settings, and the data it fetches from the daemon. */
import { type ReactNode, useEffect, useState } from "react";
import type { Client } from "../../client/index.ts";
import { Problem } from "../../schema/problem.ts";
import { Button } from "../parts/controls/button.tsx";
import { useClient } from "../store/hooks.ts";

export function Section({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="settings-section">
      <div className="sec-t">
        <h2>{title}</h2>
        {note ? <span>{note}</span> : null}
      </div>
      <div className="card">{children}</div>
    </section>
  );
}

/** Asked for once, and again by hand. */
export function useAnswer<T>(ask: (client: Client) => Promise<T>): { answer?: T; problem?: Problem; again(): void } {
  const client = useClient();
  const [found, setFound] = useState<{ answer?: T; problem?: Problem }>({});
  const [time, setTime] = useState(0);
  useEffect(() => {
    let over = false;
    ask(client).then(
      (answer) => !over && setFound({ answer }),
      (error: unknown) =>
        !over && setFound({ problem: error instanceof Problem ? error : new Problem("unreachable", String(error)) }),
    );
    return () => {
      over = true;
    };
  }, [client, time]);
  return { ...found, again: () => setTime(time + 1) };
}

export function Trouble({ problem, again }: { problem: Problem; again(): void }) {
  return (
    <div className="settings-row" role="alert">
      <span className="wrong">{problem.message}</span>
      <Button onClick={again}>Try again</Button>
    </div>
  );
}

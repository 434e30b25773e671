/** The versions of a soul, what came of the work while each held, how one differs from now, and the way back. */
import { useState } from "react";
import type { SoulVersionView, SoulView } from "../../api/soul.ts";
import { money } from "../../lib/text/amounts.ts";
import type { DiffLine } from "../../lib/text/diff-lines.ts";
import { visible } from "../../lib/text/visible.ts";
import { Button } from "../parts/controls/button.tsx";
import { Time } from "../parts/text/time.tsx";
import { useToasts } from "../shell/toasts.tsx";
import { useClient } from "../store/hooks.ts";

interface Given {
  agent: string;
  versions: readonly SoulVersionView[];
  fixed: boolean;
  changed(soul: SoulView): void;
}

export function SoulVersions({ agent, versions, fixed, changed }: Given) {
  const client = useClient();
  const { attempt } = useToasts();
  const [open, setOpen] = useState<{ seq: number; lines: readonly DiffLine[] }>();
  const compare = async (seq: number) => {
    if (open?.seq === seq) return setOpen(undefined);
    const found = await attempt(client.diffSoul({ params: { agent }, query: { from: seq } }));
    if (found) setOpen({ seq, lines: found.lines });
  };
  const restore = async (seq: number) => {
    const soul = await attempt(client.restoreSoul({ params: { agent }, body: { seq } }));
    if (!soul) return;
    setOpen(undefined);
    changed(soul);
  };
  return (
    <section aria-label="Versions">
      <h2>Versions</h2>
      <p className="dim">
        Counts of what happened while a version held. They are not its effect: the tasks differ. A correction is a
        message of yours that says something was wrong.
      </p>
      <ol className="soul-v">
        {versions.map(({ seq, at, by, current, readable, results }) => (
          <li key={seq}>
            <div className="soul-r">
              <b>{current ? "Now" : `Version ${seq}`}</b>
              <span className="dim">
                <Time at={at} /> by {by === "system" ? "Agiraph" : "you"}
              </span>
              <span className="grow" />
              {current ? null : (
                <>
                  <Button onClick={() => void compare(seq)} disabled={!readable} aria-expanded={open?.seq === seq}>
                    Compare
                  </Button>
                  <Button onClick={() => void restore(seq)} disabled={!readable || fixed}>
                    Restore
                  </Button>
                </>
              )}
            </div>
            {results ? (
              <dl>
                <Count name="runs">{results.runs}</Count>
                <Count name="nodes done">{results.completed}</Count>
                <Count name="failed">{results.failed}</Count>
                <Count name="corrections">
                  {results.corrections} of {results.messages} messages
                </Count>
                <Count name="cost">{money(results.usd)}</Count>
              </dl>
            ) : null}
            {open?.seq === seq ? <Change lines={open.lines} /> : null}
          </li>
        ))}
      </ol>
    </section>
  );
}

const Count = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** From that version to now. */
const Change = ({ lines }: { lines: readonly DiffLine[] }) => (
  <section className="df" aria-label="What changed since">
    {lines.map(({ look, text }, at) => (
      <div key={at} className={look}>
        <span>
          {look === "add" ? "+" : look === "del" ? "−" : ""}
          <span className="sr">{look === "add" ? "added" : look === "del" ? "removed" : ""}</span>
        </span>
        <span>{visible(text) || " "}</span>
      </div>
    ))}
  </section>
);

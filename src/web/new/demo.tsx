/** A team at work without any key: the demo. */
import { useState } from "react";
import type { Offer } from "../../api/models.ts";
import type { Problem } from "../../schema/problem.ts";
import { Button } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { useToasts } from "../shell/toasts.tsx";
import type { Wish } from "./wish.ts";

interface Given {
  demo: NonNullable<Offer["demo"]>;
  begin(wish: Wish): Promise<Problem | undefined>;
}

export function Demo({ demo, begin }: Given) {
  const { say } = useToasts();
  const [playing, setPlaying] = useState(false);
  const play = async () => {
    setPlaying(true);
    const problem = await begin({ goal: demo.goal, model: demo.model, name: "demo" });
    if (problem) say({ look: "failure", text: problem.message });
    setPlaying(false);
  };
  return (
    <section className="demo" aria-label="Demo">
      <svg viewBox="0 0 132 60" width="132" height="60" aria-hidden="true">
        <path
          d="M30 30h14M48 12h18M48 30h18M48 48h18M88 12h12M88 30h12M88 48h12M106 30h6"
          stroke="var(--line-control)"
          fill="none"
        />
        <path d="M46 6v48" stroke="var(--done)" strokeWidth="3" />
        <path d="M102 6v48" stroke="var(--line-2)" strokeWidth="3" />
        <rect x="10" y="24" width="20" height="12" rx="3" fill="var(--done)" />
        <rect x="66" y="6" width="22" height="12" rx="3" fill="var(--done)" />
        <rect x="66" y="24" width="22" height="12" rx="3" fill="var(--working)" />
        <rect x="66" y="42" width="22" height="12" rx="3" fill="var(--waiting)" />
        <rect
          x="112"
          y="24"
          width="16"
          height="12"
          rx="3"
          fill="none"
          stroke="var(--line-control)"
          strokeDasharray="3 2"
        />
      </svg>
      <div className="grow">
        <b>Watch a team first</b>
        <p>Three workers, eight nodes, 20 seconds. No key, no cost.</p>
      </div>
      <Button large onClick={() => void play()} disabled={playing}>
        <Icon name="play" size={12} />
        Play the demo
      </Button>
    </section>
  );
}

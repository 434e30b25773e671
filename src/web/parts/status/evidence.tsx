/**
 * How far a result can be trusted: *verified* (checks passed on this very content), *reviewed* (somebody else read it), *claimed* (only its worker
 * says so). The same shape and word on every surface; the title says it in a sentence.
 */
import type { Evidence } from "../../../schema/evidence.ts";
import { plural } from "../text/words.ts";

const words: Record<Evidence, { word: string; means: string }> = {
  verified: { word: "Verified", means: "Verified: its checks passed on exactly this content" },
  reviewed: {
    word: "Reviewed",
    means: "Reviewed: somebody else read it against what was asked, and found nothing wrong",
  },
  claimed: { word: "Claimed", means: "Claimed: only its worker says that it is done" },
};

interface Given {
  evidence: Evidence;
  /** Only the shape, where there is little room; the word is still there for who does not see it. */
  small?: boolean;
  /** Checks that failed on this very content. */
  failed?: number | undefined;
  /** More than the word means. */
  title?: string | undefined;
}

export function EvidenceMark({ evidence, small, failed = 0, title }: Given) {
  const { word, means } = words[evidence];
  const bad = failed ? `${plural(failed, "check")} failed` : "";
  return (
    <span className={`evi ${evidence} ${bad ? "bad" : ""}`} title={title ?? (bad ? `${means}; ${bad}` : means)}>
      <i aria-hidden="true" />
      <span className={small ? "sr" : ""}>
        {word}
        {bad ? <span className="sr">, {bad}</span> : null}
      </span>
    </span>
  );
}

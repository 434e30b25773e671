/** What stands behind a result, as a glyph and a word: colour never speaks alone. */
import type { Evidence } from "../../schema/evidence.ts";
import { plain, type Span } from "../terminal/span.ts";
import type { Colors } from "./mark.ts";

const glyphs: Record<Evidence, string> = { verified: "■", reviewed: "□", claimed: "○" };

/** With a blank after it. */
export const evidenceSpan = (evidence: Evidence, colors: Colors): Span => ({
  ...plain(`${glyphs[evidence]} ${evidence}  `),
  draw: drawEvidence(evidence, colors),
});

export const drawEvidence = (evidence: Evidence, colors: Colors) =>
  evidence === "claimed" ? colors.dim : colors.green;

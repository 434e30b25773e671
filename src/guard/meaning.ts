/**
 * How near texts are to a task in meaning: the cosines of their vectors.
 *
 * Always answers: without an embedder, when it fails, or when it takes too long, nothing is near, and words, links and age decide alone. What was computed
 * late is there the next time. The same text is embedded once.
 */
import type { Embedder } from "../lib/embedder.ts";
import { withTimeout } from "../lib/time/timeout.ts";
import type { Clock } from "../lib/world.ts";

/** One number for each text, from -1 to 1; 0 if it is not known. */
export type Meaning = (task: string, texts: readonly string[]) => Promise<readonly number[]>;

export const noMeaning: Meaning = async (_, texts) => texts.map(() => 0);

/** Of a long text its beginning says what it is about. */
const looked = 1_000;
const remembered = 512;

export function createMeaning(embedder: Embedder, clock: Clock, patienceMs = 1000): Meaning {
  const vectors = new Map<string, Float32Array>();

  async function learn(texts: readonly string[]): Promise<void> {
    const fresh = [...new Set(texts)].filter((text) => !vectors.has(text));
    if (!fresh.length) return;
    const made = await embedder.embed(fresh, new AbortController().signal, true);
    if (vectors.size + fresh.length > remembered)
      for (const text of [...vectors.keys()]) if (!texts.includes(text)) vectors.delete(text);
    for (const [at, text] of fresh.entries()) vectors.set(text, made[at]!);
  }

  return async (task, texts) => {
    if (!texts.length || !task.trim()) return texts.map(() => 0);
    const [asked, ...cut] = [task, ...texts].map((text) => text.slice(0, looked).toWellFormed());
    await withTimeout(
      clock,
      patienceMs,
      learn([asked!, ...cut]).catch(() => undefined),
    );
    const own = vectors.get(asked!);
    return cut.map((text) => cosine(own, vectors.get(text)));
  };
}

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b || a.length !== b.length) return 0;
  let [dot, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    ofA += a[i]! ** 2;
    ofB += b[i]! ** 2;
  }
  return dot / (Math.sqrt(ofA * ofB) || 1);
}

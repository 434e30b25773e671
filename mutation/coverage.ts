/** Which test may notice which mutant, and how long it takes. Kept for each file of tests until it or the mutated code changes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { startWorker } from "./pool.ts";
import { hashOf, hashOfCommon, hashOfTest, testFiles } from "./targets.ts";
import type { Covered } from "./worker.ts";

export interface Test extends Omit<Covered, "hits"> {
  file: string;
  hits: Uint8Array;
}

export interface Coverage {
  /** Changes with any test. */
  hash: string;
  /** All that pass as the code is. */
  tests: Test[];
  /** What runs while files are loaded. */
  loading: Uint8Array;
  /** Tests and files that are left out, with the reason. */
  unusable: string[];
}

export const has = (bits: Uint8Array, number: number): boolean => (bits[number >> 3]! & (1 << (number & 7))) !== 0;

interface Part {
  hash: string;
  tests: Covered[];
  loading: string;
  error?: string;
}

const seedsInPart = 25;

export async function readCoverage(
  path: string,
  workers: number,
  seeds: number,
  tell: (line: string) => void,
): Promise<Coverage> {
  const common = hashOfCommon();
  const hashes = new Map(testFiles().map((file) => [file, hashOf(common, hashOfTest(file))]));
  for (let from = 1; from <= seeds; from += seedsInPart) hashes.set(`sim ${from}`, hashOf(common, hashOfTest("sim")));

  const kept: Record<string, Part> = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  const parts = new Map(Object.entries(kept).filter(([name, { hash }]) => hashes.get(name) === hash));
  const left = [...hashes.keys()].filter((name) => !parts.has(name));
  const work = async () => {
    const worker = startWorker("cover");
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const [file, from] = name.split(" ") as [string, string | undefined];
      const answer = await worker.ask({ do: "cover", file, from: Number(from), count: seedsInPart });
      if (answer.say !== "covered") throw new Error(`${name}: ${JSON.stringify(answer)}`);
      parts.set(name, { hash: hashes.get(name)!, ...answer });
      tell(`coverage: ${name}, ${left.length} left`);
    }
    await worker.end();
  };
  if (left.length) {
    await Promise.all(Array.from({ length: workers }, work));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(Object.fromEntries(parts)));
  }
  return join([...hashes.keys()].map((name) => [name, parts.get(name)!]));
}

function join(parts: [string, Part][]): Coverage {
  const tests: Test[] = [];
  const unusable: string[] = [];
  const bits = parts.map(([, { loading }]) => Buffer.from(loading, "base64"));
  for (const [name, part] of parts) {
    if (part.error) unusable.push(`${name}: ${part.error}`);
    for (const test of part.tests) {
      if (test.error) unusable.push(`${test.id} (${test.name}): ${test.error}`);
      else tests.push({ ...test, file: name.split(" ")[0]!, hits: Buffer.from(test.hits, "base64") });
    }
  }
  return {
    hash: hashOf(...parts.map(([, { hash }]) => hash)),
    tests,
    loading: Uint8Array.from(bits[0] ?? [], (_, index) => bits.reduce((sum, each) => sum | each[index]!, 0)),
    unusable,
  };
}

/** Which test may notice which mutant, and how long it takes. Kept for each file of tests until it or the mutated code changes. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { startWorker } from "./pool.ts";
import { hashOf, hashOfCommon, hashOfTest, type Target, testFiles } from "./targets.ts";
import type { Covered } from "./worker.ts";

export interface Test extends Omit<Covered, "hits"> {
  file: string;
  hits: Uint8Array;
}

export interface Coverage {
  /** All that pass as the code is. */
  tests: Test[];
  /** What runs while files are loaded. */
  loading: Uint8Array;
  /** Tests and files that are left out, with the reason. */
  unusable: string[];
}

export const has = (bits: Uint8Array, number: number): boolean => (bits[number >> 3]! & (1 << (number & 7))) !== 0;

const bitsIn = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

/** How many of the mutants in the bytes from..to may be noticed. */
function count(bits: Uint8Array, from = 0, to = bits.length): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += bitsIn[bits[at]!]!;
  return sum;
}

const all = new WeakMap<Uint8Array, number>();

/** Which share of what a test reaches is in one file, about: a test of that file has much of it there. */
export function shareOf(bits: Uint8Array, { first, mutants }: Pick<Target, "first" | "mutants">): number {
  const total = all.get(bits) ?? count(bits);
  all.set(bits, total);
  return total && count(bits, first >> 3, (first + mutants.length + 7) >> 3) / total;
}

interface Part {
  name: string;
  hash: string;
  tests: Covered[];
  loading: string;
  error?: string;
}

const seedsInPart = 25;

/** What is looked at in one go, each with the hash of all that it depends on. */
function partsOf(seeds: number): Map<string, string> {
  const common = hashOfCommon();
  const hashes = new Map(testFiles().map((file) => [file, hashOf(common, hashOfTest(file))]));
  const sim = hashOf(common, hashOfTest("sim"));
  for (let from = 1; from <= seeds; from += seedsInPart) hashes.set(`sim ${from}`, sim);
  return hashes;
}

/** Changes with any test and with the mutated code. */
export const hashOfTests = (seeds: number): string => hashOf(...partsOf(seeds).values());

export async function readCoverage(
  path: string,
  workers: number,
  seeds: number,
  tell: (line: string) => void,
): Promise<Coverage> {
  const hashes = partsOf(seeds);
  const parts = new Map<string, Part>();
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  // The last line may be torn.
  for (const line of lines.filter((each) => each.endsWith("}"))) {
    const part = JSON.parse(line) as Part;
    if (hashes.get(part.name) === part.hash) parts.set(part.name, part);
  }
  const write = (some: Iterable<Part>) => [...some].map((part) => `${JSON.stringify(part)}\n`).join("");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, write(parts.values()));
  const left = [...hashes.keys()].filter((name) => !parts.has(name));
  const work = async () => {
    const worker = startWorker("cover");
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const [file, from] = name.split(" ") as [string, string | undefined];
      const answer = await worker.ask({ do: "cover", file, from: Number(from), count: seedsInPart });
      if (answer.say !== "covered") throw new Error(`${name}: ${JSON.stringify(answer)}`);
      const part = { name, hash: hashes.get(name)!, ...answer };
      parts.set(name, part);
      appendFileSync(path, write([part]));
      tell(`coverage: ${name}, ${left.length} left`);
    }
    await worker.end();
  };
  if (left.length) await Promise.all(Array.from({ length: workers }, work));
  return join([...hashes.keys()].map((name) => parts.get(name)!));
}

function join(parts: Part[]): Coverage {
  const tests: Test[] = [];
  const unusable: string[] = [];
  const bits = parts.map(({ loading }) => Buffer.from(loading, "base64"));
  for (const { name, error, tests: some } of parts) {
    if (error) unusable.push(`${name}: ${error}`);
    for (const test of some) {
      if (test.error) unusable.push(`${test.id} (${test.name}): ${test.error}`);
      else tests.push({ ...test, file: name.split(" ")[0]!, hits: Buffer.from(test.hits, "base64") });
    }
  }
  return {
    tests,
    loading: Uint8Array.from(bits[0] ?? [], (_, index) => bits.reduce((sum, each) => sum | each[index]!, 0)),
    unusable,
  };
}

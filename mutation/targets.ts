/** What is mutated, and the tests that are to notice. */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Mutant, mutantsOf } from "./mutants.ts";

export const root = fileURLToPath(new URL("../", import.meta.url));

const targets = [
  "src/core/**/*.ts",
  "src/guard/**/*.ts",
  "src/store/{log,log-line,scan}.ts",
  "src/runtime/{live,deliveries,projection/append,workspace/publish}.ts",
];
/** Tests that run in one process, without a browser, a daemon or a network. */
const tests = [
  "src/{core,guard,home,store,search,runtime,loop,toolkit,tool,engine,api}/**/*.test.ts",
  "sim/{disk,fleet,world}.test.ts",
];

/** Files whose tests are not in one of their own name. */
const elsewhere: [RegExp, string[]][] = [
  [/^src\/core\/time\/(rate|wake-reasons)\.ts$/, ["src/core/time/trigger.test.ts", "src/core/time/cycle.test.ts"]],
  [/^src\/core\/(created-ids|reduce|decide|nouns)\.ts$/, ["src/core/state.test.ts", "src/core/agent/agent.test.ts"]],
  [
    /^src\/core\/(?:turn|human)\/(turn|turn-failure|tool-call|own-call|approval|conversation)\.ts$/,
    ["src/core/turn/turn.test.ts", "src/core/turn/turn-failure.test.ts"],
  ],
  [/^src\/core\/team\/(stall|silence)\.ts$/, ["src/core/team/worker.test.ts", "src/core/turn/context.test.ts"]],
  [/^src\/core\/board\/(node-time|node-room)\.ts$/, ["src/core/board/node.test.ts"]],
  [
    /^src\/core\/time\/(trigger|schedule|trigger-event)\.ts$/,
    ["src/core/time/trigger.test.ts", "src/core/time/trigger-event.test.ts"],
  ],
  [/^src\/core\/message\/mail-route\.ts$/, ["src/core/message/inbox.test.ts"]],
  [/^src\/core\/board\/suggestion\.ts$/, ["src/core/board/node.test.ts", "src/core/message/inbox.test.ts"]],
  [/^src\/core\/agent\/status\.ts$/, ["src/core/agent/agent.test.ts"]],
  [
    /^src\/guard\/memory-\w+\.ts$/,
    ["src/guard/memory.test.ts", "src/guard/memory-search.test.ts", "src/guard/memory-meaning.test.ts"],
  ],
  [/^src\/guard\/context\.ts$/, ["src/guard/parts.test.ts", "src/runtime/context.test.ts"]],
  [
    /^src\/store\/(log|log-line|scan)\.ts$/,
    [
      "src/store/log.test.ts",
      "src/store/log-damage.test.ts",
      "src/store/log-disk.test.ts",
      "src/store/file-store.test.ts",
    ],
  ],
  [
    /^src\/runtime\/projection\/append\.ts$/,
    ["src/runtime/projection/projection.test.ts", "src/runtime/context.test.ts"],
  ],
  [/^src\/runtime\/live\.ts$/, ["src/runtime/durable.test.ts", "src/runtime/crash.test.ts"]],
];

/** Tests that are made for a file: they run first, and all of them. */
export const testsOf = (file: string): string[] => [
  file.replace(/\.ts$/, ".test.ts"),
  ...elsewhere.filter(([pattern]) => pattern.test(file)).flatMap(([, tests]) => tests),
];

const isTest = (path: string): boolean => /(\.test|\.test-help|contract)\.ts$/.test(path);
const list = (patterns: string[]): string[] =>
  globSync(patterns, { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .sort();

export interface Target {
  file: string;
  source: string;
  /** Of the text and its mutants. */
  hash: string;
  mutants: Mutant[];
  /** The number of its first mutant. */
  first: number;
}

export const testFiles = (): string[] => list(tests);

export function readTargets(): Target[] {
  let first = 0;
  return list(targets)
    .filter((file) => !isTest(file))
    .map((file) => {
      const source = readFileSync(join(root, file), "utf8");
      const mutants = mutantsOf(file, source);
      const hash = hashOf(source, ...mutants.map(({ kind, start, code }) => `${kind} ${start} ${code}`));
      const target = { file, source, hash, mutants, first };
      first += mutants.length;
      return target;
    });
}

const read = (file: string): string => file + readFileSync(join(root, file), "utf8");

/** Changes with the code that is mutated and with what tests share. The rest of the product is left aside: it hardly moves what is reached. */
export const hashOfCommon = (): string =>
  hashOf(
    ...list([...targets, "src/**/{*.test-help,contract}.ts", "mutation/{mutants,instrument,worker,vitest}.ts"])
      .filter((file) => !/\.test\.ts$/.test(file))
      .map(read),
  );

export const hashOfTest = (file: string): string => hashOf(...list(file === "sim" ? ["sim/*.ts"] : [file]).map(read));

export function hashOf(...texts: string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text);
  return hash.digest("hex").slice(0, 16);
}

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
  "src/store/{log,log-line,scan,checksum,tail,large-events,snapshot,blobs}.ts",
  "src/runtime/{live,snapshots,idempotency,delivery/deliveries,delivery/outbox,events/stream,events/watch,projection/append}.ts",
  "src/runtime/workspace/{publish,publish-node,verify-published,versions}.ts",
  "src/runtime/checkout/{keep,recall,merge,hand-over,shared,of-run}.ts",
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
    /^src\/store\/(log|log-line|scan|checksum|tail|snapshot|blobs)\.ts$/,
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
  [/^src\/runtime\/(live|snapshots)\.ts$/, ["src/runtime/durable.test.ts", "src/runtime/crash.test.ts"]],
  [
    /^src\/runtime\/(events\/watch|idempotency)\.ts$/,
    ["src/runtime/events/stream.test.ts", "src/runtime/life.test.ts"],
  ],
  [
    /^src\/runtime\/workspace\/(publish|publish-node|verify-published)\.ts$/,
    ["src/runtime/workspace/publish.test.ts", "src/runtime/check/check.test.ts", "src/runtime/checkout/folder.test.ts"],
  ],
  [
    /^src\/runtime\/(checkout\/[\w-]+|workspace\/versions)\.ts$/,
    [
      "src/runtime/checkout/folder.test.ts",
      "src/runtime/checkout/scratch.test.ts",
      "src/runtime/repository.test.ts",
      "src/runtime/disk.test.ts",
    ],
  ],
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
      const target = readTarget(file, first);
      first += target.mutants.length;
      return target;
    });
}

export function readTarget(file: string, first: number): Target {
  const source = readFileSync(join(root, file), "utf8");
  const mutants = mutantsOf(file, source);
  const hash = hashOf(source, ...mutants.map(({ kind, start, code }) => `${kind} ${start} ${code}`));
  return { file, source, hash, mutants, first };
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

/**
 * Which blocks of the product were reached: function bodies, branches, loops, the right sides of ?:, &&, || and ??. Source is marked as it is
 * loaded, as plant.ts patches it: each block begins with a store into one array, which costs about a tenth of the speed. V8's own block
 * coverage would cost two thirds, most of it for collecting it after every world.
 *
 * Always holds: a block has the same number in every process that loads the same source. Marks change no line and no meaning.
 * Not here: what is done with it (corpus.ts). Works in plain Node, not within vitest, which loads files itself.
 */
import { createHash } from "node:crypto";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";

export interface MarkedFile {
  /** Of its source: other source, other blocks. */
  hash: string;
  blocks: number;
}

export interface Blocks {
  /** Every file that was loaded and marked, by its path in src/. */
  files(): Record<string, MarkedFile>;
  /** The blocks by file that were reached for the first time in this process since it was last asked. */
  fresh(): Record<string, number[]>;
}

const most = 65_536;
const root = new URL("../../src/", import.meta.url).href;

/** From now on every file of src/ is marked when it is loaded. */
export function watchBlocks(): Blocks {
  const reached = new Uint8Array(most);
  const told = new Uint8Array(most);
  const marked = new Map<string, MarkedFile & { first: number }>();
  let used = 0;
  (globalThis as { __blocks?: Uint8Array }).__blocks = reached;
  registerHooks({
    load(address, context, next) {
      const module = next(address, context);
      const path = pathOf(address);
      if (path === undefined || !module.source) return module;
      const source = Buffer.from(module.source as Uint8Array).toString("utf8");
      const { text, blocks } = mark(fileURLToPath(address), source, used);
      if (used + blocks > most) return module;
      const hash = createHash("sha256").update(source).digest("hex").slice(0, 12);
      marked.set(path, { hash, blocks, first: used });
      used += blocks;
      return { ...module, source: text };
    },
  });
  return {
    files: () => Object.fromEntries([...marked].map(([path, { hash, blocks }]) => [path, { hash, blocks }])),
    fresh() {
      const found: Record<string, number[]> = {};
      for (const [path, { first, blocks }] of marked) {
        const fresh: number[] = [];
        for (let at = first; at < first + blocks; at++) {
          if (!reached[at] || told[at]) continue;
          told[at] = 1;
          fresh.push(at - first);
        }
        if (fresh.length) found[path] = fresh;
      }
      return found;
    },
  };
}

/** The path in src/ of a product file; nothing for others. */
const pathOf = (address: string): string | undefined =>
  address.startsWith(root) && /\.ts$/.test(address) && !/\.(test|test-help)\.ts$/.test(address)
    ? address.slice(root.length)
    : undefined;

/** The source with a mark in each block, numbered from `first` on. */
export function mark(path: string, source: string, first = 0): { text: string; blocks: number } {
  const opens = new Map<number, string>();
  const closes = new Map<number, string>();
  let blocks = 0;
  const store = () => `__blocks[${first + blocks++}]=1`;
  const open = (at: number, text: string) => opens.set(at, (opens.get(at) ?? "") + text);
  // What is visited later lies inside, so it ends first.
  const close = (at: number, text: string) => closes.set(at, text + (closes.get(at) ?? ""));
  const expression = ({ start, end }: Span) => {
    open(start, `(${store()},`);
    close(end, ")");
  };
  const statement = (node: (Span & { type: string }) | null | undefined) => {
    if (!node || node.type === "BlockStatement") return; // a block has its own mark
    open(node.start, `{${store()};`);
    close(node.end, "}");
  };
  const loop = ({ body }: { body: Span & { type: string } }) => statement(body);

  const { program, errors } = parseSync(path, source);
  if (errors.length) throw new Error(`${path} cannot be parsed: ${errors[0]!.message}`);
  new Visitor({
    BlockStatement: ({ start }) => open(start + 1, `${store()};`),
    ArrowFunctionExpression: ({ body, expression: isExpression }) => isExpression && expression(body),
    IfStatement({ consequent, alternate }) {
      statement(consequent);
      statement(alternate);
    },
    ForStatement: loop,
    ForInStatement: loop,
    ForOfStatement: loop,
    WhileStatement: loop,
    DoWhileStatement: loop,
    SwitchCase: ({ consequent: [first] }) => first && open(first.start, `${store()};`),
    ConditionalExpression({ consequent, alternate }) {
      expression(consequent);
      expression(alternate);
    },
    LogicalExpression: ({ right }) => expression(right),
    AssignmentExpression: ({ operator, right }) => /^(\?\?|\|\||&&)=$/.test(operator) && expression(right),
  }).visit(program);

  const places = [...new Set([...opens.keys(), ...closes.keys()])].sort((a, b) => a - b);
  let text = "";
  let done = 0;
  for (const at of places) {
    text += source.slice(done, at) + (closes.get(at) ?? "") + (opens.get(at) ?? "");
    done = at;
  }
  return { text: text + source.slice(done), blocks };
}

interface Span {
  start: number;
  end: number;
}

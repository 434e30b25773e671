/**
 * The bytes of one simulated file: what a reader sees, and how to take back what is not durable yet.
 *
 * Always holds: bytes are kept once, in a buffer that grows; since the last sync only the operations are remembered, the newest last.
 * A power loss keeps a prefix of them, cut at any byte. A sync covers what was done before it began, not what came while it ran.
 * Not here: names and folders (disk.ts), time, and when a fault happens (files.ts).
 */
import type { SimRandom } from "./random.ts";

export interface Body {
  kind: "file";
  bytes: Buffer;
  length: number;
  /** Since the last sync, oldest first; empty: all is durable. */
  undo: Undo[];
  /** Ranges that a failed sync forgot: seen until the power goes. */
  ghosts: { from: number; to: number }[];
  /** Bears a name in a folder; its bytes count for the quota. */
  linked: boolean;
  frozen: boolean;
  changed: number;
  /** 0 until it has a name. */
  inode: number;
}

type Undo =
  | { kind: "append"; id: number; from: number; to: number; closed: boolean }
  | { kind: "truncate"; id: number; to: number; tail: Buffer };

let nextId = 1;

export function createBody(content: Uint8Array, changed: number): Body {
  const bytes = Buffer.from(content);
  const names = { linked: false, frozen: false };
  return { kind: "file", bytes, length: bytes.length, undo: [], ghosts: [], ...names, changed, inode: 0 };
}

export const contentOf = (body: Body): Buffer => body.bytes.subarray(0, body.length);

export function append(body: Body, added: Uint8Array): void {
  if (added.length === 0) return;
  const from = body.length;
  put(body, added);
  const last = body.undo.at(-1);
  if (last?.kind === "append" && !last.closed) last.to = body.length;
  else body.undo.push({ kind: "append", id: nextId++, from, to: body.length, closed: false });
}

export function truncate(body: Body, size: number): void {
  if (size >= body.length) {
    append(body, Buffer.alloc(size - body.length));
    return;
  }
  body.undo.push({
    kind: "truncate",
    id: nextId++,
    to: size,
    tail: Buffer.from(body.bytes.subarray(size, body.length)),
  });
  body.length = size;
  body.ghosts = body.ghosts
    .filter((ghost) => ghost.from < size)
    .map(({ from, to }) => ({ from, to: Math.min(to, size) }));
}

/** Begins a sync: what is there now is covered by it. Give the result to `settle` or `forget` when it ends. */
export function mark(body: Body): number {
  const last = body.undo.at(-1);
  if (last?.kind === "append") last.closed = true;
  return last?.id ?? 0;
}

/** A sync succeeded. */
export function settle(body: Body, mark: number): void {
  if (body.undo.length > 0) body.undo = body.undo.filter((step) => step.id > mark);
}

/** A sync failed: the bytes stay unsynced, or some are dropped at once. With `ghost` they count as clean but are not on the disk. */
export function forget(body: Body, mark: number, random: SimRandom, ghost: boolean): void {
  if (ghost) {
    for (const step of body.undo) {
      if (step.kind === "append" && step.id <= mark) body.ghosts.push({ from: step.from, to: step.to });
    }
    settle(body, mark);
    return;
  }
  const last = body.undo.at(-1);
  if (last?.kind === "append" && last.id <= mark && random.chance(0.5)) {
    last.to = body.length = last.from + random.int(last.to - last.from + 1);
  }
}

/** The power went: a prefix of what was not durable is kept. Says what happened to it. */
export function tear(body: Body, random: SimRandom): { torn: boolean; lost: boolean; untruncated: boolean } {
  const weight = (step: Undo) => (step.kind === "append" ? step.to - step.from : 1);
  const total = body.undo.reduce((sum, step) => sum + weight(step), 0);
  const luck = random.next();
  const kept = luck < 0.2 ? 0 : luck < 0.4 ? total : random.int(total + 1);
  let untruncated = false;
  let left = total - kept;
  while (left > 0) {
    const step = body.undo.pop() as Undo;
    if (step.kind === "append") {
      const taken = Math.min(left, step.to - step.from);
      body.length = step.to - taken;
      left -= taken;
    } else {
      body.length = step.to;
      put(body, step.tail);
      untruncated = true;
      left -= 1;
    }
  }
  body.undo = [];
  vanish(body);
  return { torn: kept > 0 && kept < total, lost: kept === 0 && total > 0, untruncated };
}

function put(body: Body, added: Uint8Array): void {
  const length = body.length + added.length;
  if (length > body.bytes.length) {
    const grown = Buffer.allocUnsafe(Math.max(length, 2 * body.bytes.length, 256));
    body.bytes.copy(grown, 0, 0, body.length);
    body.bytes = grown;
  }
  body.bytes.set(added, body.length);
  body.length = length;
}

/** Ghosts at the end are gone, others read as zeros. */
function vanish(body: Body): void {
  for (const { from, to } of body.ghosts.splice(0).reverse()) {
    if (to >= body.length) body.length = Math.min(body.length, from);
    else body.bytes.fill(0, from, to);
  }
}

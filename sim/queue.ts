/**
 * What is still to happen: a binary heap of timers.
 *
 * Always holds: `pop` gives the least by (time, tie, order), a strict order, so nothing depends on the heap's shape. A timer that was
 * cancelled or whose owner has ended is never given out; such timers are swept away before they outnumber the others.
 * Not here: running them (time.ts).
 */
export interface Timer {
  /** Microseconds of virtual time. */
  at: number;
  tie: number;
  order: number;
  owner: { ended: boolean };
  /** Null once it ran or was cancelled. */
  call: (() => void) | null;
}

export interface Queue {
  push(timer: Timer): void;
  /** The next live timer without taking it. */
  peek(): Timer | undefined;
  pop(): Timer | undefined;
  cancel(timer: Timer): void;
  /** Forgets every dead timer now. */
  sweep(): void;
  /** Live timers; counts them, so not for every step. */
  size(): number;
}

export function createQueue(): Queue {
  let heap: Timer[] = [];
  let cancelled = 0;

  const queue: Queue = {
    push(timer) {
      heap.push(timer);
      rise(heap, heap.length - 1);
    },
    peek() {
      let first = heap[0];
      while (first && !alive(first)) {
        takeFirst(heap);
        first = heap[0];
      }
      return first;
    },
    pop() {
      const first = queue.peek();
      if (first) takeFirst(heap);
      return first;
    },
    cancel(timer) {
      if (timer.call === null) return;
      timer.call = null;
      cancelled += 1;
      if (cancelled > 512 && cancelled * 2 > heap.length) queue.sweep();
    },
    sweep() {
      heap = heap.filter(alive);
      cancelled = 0;
      for (let i = (heap.length >> 1) - 1; i >= 0; i--) sink(heap, i);
    },
    size: () => heap.filter(alive).length,
  };
  return queue;
}

const alive = (timer: Timer): boolean => timer.call !== null && !timer.owner.ended;

const before = (a: Timer, b: Timer): boolean =>
  a.at !== b.at ? a.at < b.at : a.tie !== b.tie ? a.tie < b.tie : a.order < b.order;

function takeFirst(heap: Timer[]): void {
  const last = heap.pop() as Timer;
  if (heap.length === 0) return;
  heap[0] = last;
  sink(heap, 0);
}

function rise(heap: Timer[], index: number): void {
  const timer = heap[index] as Timer;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] as Timer;
    if (before(above, timer)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = timer;
}

function sink(heap: Timer[], index: number): void {
  const timer = heap[index] as Timer;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as Timer, heap[child] as Timer)) child += 1;
    const below = heap[child] as Timer;
    if (!before(below, timer)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = timer;
}

/** Jobs of one name run one after the other, those of different names side by side. A job that fails does not hold up the next. */
export interface Queues {
  inOrder<T>(name: string, act: () => Promise<T>): Promise<T>;
  /** Every job that was given so far has ended. */
  idle(): Promise<void>;
}

export function createQueues(): Queues {
  /** The end of the last job, by name. */
  const last = new Map<string, Promise<void>>();
  return {
    inOrder(name, act) {
      const mine = (last.get(name) ?? Promise.resolve()).then(act);
      const ended: Promise<void> = mine.then(
        () => forget(name, ended),
        () => forget(name, ended),
      );
      last.set(name, ended);
      return mine;
    },
    idle: async () => void (await Promise.all(last.values())),
  };

  function forget(name: string, ended: Promise<void>): void {
    if (last.get(name) === ended) last.delete(name);
  }
}

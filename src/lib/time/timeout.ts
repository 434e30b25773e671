import type { Clock } from "../world.ts";

/** The result of the job, or undefined on timeout; the job itself keeps running. Rejects if the job does before that. */
export function withTimeout<T>(clock: Clock, ms: number, job: Promise<T>): Promise<{ value: T } | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(undefined));
    job.then(
      (value) => {
        cancel();
        resolve({ value });
      },
      (error) => {
        cancel();
        reject(error);
      },
    );
  });
}

import type { Clock } from "./world.ts";

/** What the job came to, or undefined once the time is up; the job itself goes on. Rejects if the job does before that. */
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

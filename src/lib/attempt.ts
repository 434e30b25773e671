/** Code of others that refuses by throwing, as a value: what it returned, or the error. */
export type Attempt<Value> = { value: Value; error?: undefined } | { value?: undefined; error: Error };

export function attempt<Value>(work: () => Value): Attempt<Value> {
  try {
    return { value: work() };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

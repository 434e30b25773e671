/**
 * A setup as what differs from the one that its seed draws: `--with '{"agents":1,"world":{"late":0}}'`.
 *
 * Always holds: `override(drawn, difference(drawn, setup))` is the setup again, also after a way through JSON. `null` is a part that is not
 * there. Fields inside a part replace one by one; a part that the seed did not draw must be given whole.
 * Not here: which fields there are (setup.ts), and which values make sense together.
 */
import { type Setup, simplest } from "../setup.ts";

export type Overrides = Partial<Of<Setup>>;
type Of<T> = { [field in keyof T]: Value<T[field]> };
type Value<T> = undefined extends T ? Value<Exclude<T, undefined>> | null : T extends object ? Partial<Of<T>> : T;

type Part = Record<string, unknown>;

export const override = (setup: Setup, overrides: Overrides): Setup => merged(setup as unknown as Part, overrides);

export const difference = (from: Setup, to: Setup): Overrides =>
  differing(from as unknown as Part, to as unknown as Part) as Overrides;

/** Throws with the field that is not one of a setup, or has a value of another kind. */
export function parseOverrides(text: string): Overrides {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Error(`--with is not valid JSON (${(error as Error).message}): ${text}`);
  }
  if (!isPart(given)) throw new Error(`--with must be an object of setup fields: ${text}`);
  assertFields(given, simplest as unknown as Part, "");
  return given as Overrides;
}

/** The arguments that play a world again. */
export const argumentsOf = (seed: number, overrides: Overrides = {}): string =>
  `--seed ${seed}${Object.keys(overrides).length ? ` --with '${JSON.stringify(overrides)}'` : ""}`;

export const commandOf = (seed: number, overrides?: Overrides, bug?: string): string =>
  `npm run sim -- ${argumentsOf(seed, overrides)}${bug ? ` --bug ${bug}` : ""}`;

export const isPart = (value: unknown): value is Part =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function merged<T>(base: Part, changes: Part): T {
  const result: Part = { ...base };
  for (const [field, value] of Object.entries(changes)) {
    const before = base[field];
    if (value === null) result[field] = undefined;
    else result[field] = isPart(value) && isPart(before) ? merged(before, value) : value;
  }
  return result as T;
}

function differing(from: Part, to: Part): Part {
  const changes: Part = {};
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [from[field], to[field]];
    if (Object.is(before, after) || (!isPart(after) && JSON.stringify(before) === JSON.stringify(after))) continue;
    if (isPart(before) && isPart(after)) {
      const inside = differing(before, after);
      if (Object.keys(inside).length) changes[field] = inside;
    } else changes[field] = after ?? null;
  }
  return changes;
}

/** Inside a part that the simplest world does not have every field is allowed. */
function assertFields(given: Part, known: Part, path: string): void {
  for (const [field, value] of Object.entries(given)) {
    const name = `${path}${field}`;
    if (!Object.hasOwn(known, field))
      throw new Error(`a setup has no field ${name}; there are: ${Object.keys(known).join(", ")}`);
    const simple = known[field];
    if (simple === undefined) continue;
    if (isPart(simple) && isPart(value)) assertFields(value, simple, `${name}.`);
    else if (typeof value !== typeof simple || value === null)
      throw new Error(`${name} is ${JSON.stringify(value)}; it must be a ${isPart(simple) ? "part" : typeof simple}`);
  }
}

/**
 * Upcasters (schema migration): read events of an earlier version in today's shape.
 *
 * Each line of a log states the version of its type's shape (`v`; 1 if missing). A type whose data changed incompatibly has one function for each
 * step: from 1 to 2, from 2 to 3. The store applies them where it reads a line (store/log-line.ts), so that all other code knows only the newest
 * shape; the lines themselves are never rewritten. A new optional field needs no new version.
 *
 * Always holds: an upcaster is pure, depends only on the data it is given, and never throws, whatever the data is: a log may come from anywhere,
 * and its shape is checked after this.
 */
export type Upcast = (data: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
/** By type; the first leads from version 1 to 2. */
export type Upcasters = Readonly<Record<string, readonly Upcast[]>>;

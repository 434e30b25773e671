/**
 * Upcasters: how events that an earlier agiraph wrote are read as if this one had.
 *
 * Each line of a log says in which version of its type's shape it is written (`v`; 1 if missing). A type whose data changed in a way that a
 * reader would have to know has one function for each step: from 1 to 2, from 2 to 3. The store applies them where it reads a line
 * (store/log-line.ts), so that everyone else knows only the newest shape; the lines themselves are never written anew. A field that may be
 * missing needs no new version.
 *
 * Always holds: an upcaster is pure, depends on nothing but the data it is given, and never throws, whatever is in there: a log may
 * come from anywhere, and its shape is checked after this.
 */
export type Upcast = (data: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
/** By type; the first leads from version 1 to 2. */
export type Upcasters = Readonly<Record<string, readonly Upcast[]>>;

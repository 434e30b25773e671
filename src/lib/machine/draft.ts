/** The name of a draft that is renamed when it is whole: one that no other process, now or earlier, can have given. */
const born = `${process.pid}-${Date.now().toString(36)}`;
let count = 0;

export function draftOf(name: string): string {
  let kept = name;
  // A name may be as long as the disk allows; its draft must not be longer.
  while (Buffer.byteLength(kept) > 200) kept = kept.slice(0, -1).toWellFormed();
  return `.${kept}.${born}.${++count}.tmp`;
}

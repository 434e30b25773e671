/** The name of a temporary file that is renamed when it is complete: unique among all processes, now and earlier. */
const born = `${process.pid}-${Date.now().toString(36)}`;
let count = 0;

export function draftOf(name: string): string {
  let kept = name;
  // A name may be as long as the disk allows; its draft must not be longer.
  while (Buffer.byteLength(kept) > 200) kept = kept.slice(0, -1).toWellFormed();
  return `.${kept}.${born}.${++count}.tmp`;
}

/** A name that may be too long for its place: whole if there is room, else cut in the middle, so that both ends are seen. */
const most = 10;

/** Its last word, if that is short. */
function cutOf(text: string): number {
  const dash = text.lastIndexOf("-");
  return text.length - dash <= most ? dash : text.length - most;
}

export function Middle({ text, className = "" }: { text: string; className?: string }) {
  const cut = Math.max(0, cutOf(text));
  return (
    <span className={`mid ${className}`} title={text}>
      <span>{text.slice(0, cut)}</span>
      <span>{text.slice(cut)}</span>
    </span>
  );
}

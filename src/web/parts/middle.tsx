/** A name that may be too long for its place: whole if there is room, else cut in the middle, so that both ends are seen. */
const end = 9;

export function Middle({ text, className = "" }: { text: string; className?: string }) {
  return (
    <span className={`mid ${className}`} title={text}>
      <span>{text.slice(0, -end)}</span>
      <span>{text.slice(-end)}</span>
    </span>
  );
}

/** A picture of the sprite in index.html, without its `i-`: `<Icon name="graph" />`. Decoration: what it means is said beside it or by a label. */
export function Icon({ name, size = 16, className = "" }: { name: string; size?: number; className?: string }) {
  return (
    <svg className={`ic ${className}`} width={size} height={size} aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}

/** A file as people read it, or as it is written. */
export function ReadOrSource({ asSource, set }: { asSource: boolean; set(asSource: boolean): void }) {
  return (
    <span className="seg sm">
      {[false, true].map((one) => (
        <button
          key={String(one)}
          type="button"
          className={asSource === one ? "on" : ""}
          aria-pressed={asSource === one}
          onClick={() => set(one)}
        >
          {one ? "Source" : "Read"}
        </button>
      ))}
    </span>
  );
}

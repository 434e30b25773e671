/** A number of bytes as people read it: 840 B, 12 kB, 2.5 MB. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The picture of a file, by its name. */
export const iconOf = (path: string): string =>
  /\.(csv|tsv|xlsx)$/i.test(path)
    ? "table"
    : /\.(png|jpe?g|gif|webp|avif|bmp)$/i.test(path)
      ? "img"
      : /\.(md|txt|pdf)$/i.test(path)
        ? "doc"
        : "code";

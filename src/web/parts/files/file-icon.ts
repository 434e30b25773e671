/** The picture of a file, by its name. */
export const iconOf = (path: string): string =>
  /\.(csv|tsv|xlsx)$/i.test(path)
    ? "table"
    : /\.(png|jpe?g|gif|webp|avif|bmp)$/i.test(path)
      ? "img"
      : /\.(md|txt|pdf)$/i.test(path)
        ? "doc"
        : "code";

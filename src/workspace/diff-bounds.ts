/** How much of a diff is shown. */
export const diffBounds = { bytes: 8_000_000, lines: 20_000, linesOfFile: 4_000, line: 2_000, files: 1_000 };

/** The part of a campaign's report that says which product files its worlds reached, and which no world ever did. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { mark } from "./blocks.ts";
import type { CorpusState } from "./corpus.ts";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** Blocks of every product file that has any. The page is not in it: no world has a browser. */
function productFiles(): Map<string, number> {
  const paths = readdirSync(src, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
  const product = paths.filter(
    (path) => /\.ts$/.test(path) && !/(\.test|\.test-help|[./]contract|\.d)\.ts$|^web\//.test(path),
  );
  return new Map(
    product
      .sort()
      .map((path) => [path, mark(path, readFileSync(`${src}${path}`, "utf8")).blocks] as const)
      .filter(([, blocks]) => blocks > 0),
  );
}

let files: Map<string, number> | undefined;

export function describeReached({ pairs, files: seen, kept }: CorpusState): string {
  files ??= productFiles();
  const count = (path: string) => [...(seen[path]?.reached ?? "")].filter((each) => each === "1").length;
  const folders = Map.groupBy(files.keys(), (path) => path.split("/")[0]!);
  const rows = [...folders].map(([folder, paths]) => {
    const reached = paths.filter((path) => count(path) > 0);
    const blocks = paths.reduce((sum, path) => sum + files!.get(path)!, 0);
    const there = paths.reduce((sum, path) => sum + count(path), 0);
    return `| ${folder} | ${reached.length} of ${paths.length} | ${there} of ${blocks} | ${Math.round((there / blocks) * 100)} % |`;
  });
  const never = [...folders].flatMap(([folder, paths]) => {
    const missing = paths.filter((path) => count(path) === 0);
    return missing.length
      ? `- ${folder}: ${missing.map((path) => path.slice(folder.length + 1) || path).join(", ")}`
      : [];
  });
  return `## What was reached
${kept.length} worlds were kept because they reached something new; ${pairs.length} pairs of events.

| folder | files | blocks | |
|---|---|---|---|
${rows.join("\n")}

Product files that no world reached:

${never.join("\n") || "None."}
`;
}

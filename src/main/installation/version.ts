/** The version of this installation. */
import { readFileSync } from "node:fs";

export function version(): string {
  const path = new URL(import.meta.url.endsWith(".ts") ? "../../../package.json" : "../package.json", import.meta.url);
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}

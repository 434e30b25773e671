/** The page is built once, before all tests of it. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function buildPage(): void {
  execFileSync(process.execPath, ["scripts/web.ts"], { cwd: fileURLToPath(new URL("../..", import.meta.url)) });
}

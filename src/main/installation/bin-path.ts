/** The file that starts this program: bin/ lies beside src/ and beside dist/. */
import { fileURLToPath } from "node:url";

export const binPath = (): string =>
  fileURLToPath(
    new URL(import.meta.url.endsWith(".ts") ? "../../../bin/agiraph.mjs" : "../bin/agiraph.mjs", import.meta.url),
  );

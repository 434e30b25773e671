/**
 * Test helpers clean up with the test or the file that used them. A script that uses the same helper (`npm run look`) has neither: it calls
 * `cleanUp` when it is done.
 */
import { afterAll, onTestFinished } from "vitest";

type Clean = () => unknown;
const ofScript: Clean[] = [];
const inTests = process.env.VITEST !== undefined;

export function afterThisTest(clean: Clean): void {
  if (inTests) onTestFinished(async () => void (await clean()));
  else ofScript.push(clean);
}

export function afterThisFile(clean: Clean): void {
  if (inTests) afterAll(async () => void (await clean()));
  else ofScript.push(clean);
}

/** For a script; newest first. */
export async function cleanUp(): Promise<void> {
  for (const clean of ofScript.splice(0).reverse()) await clean();
}

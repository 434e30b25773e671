/**
 * Whether a check can be done at all, as far as that is known before there is anything to check: its pattern and its JSON schema are valid. Asked at
 * the edges, where a check is given; one that slips through is errored when it is done.
 */
import { z } from "zod";
import { attempt } from "../../lib/attempt.ts";
import type { Check } from "../../schema/evidence.ts";
import { Problem } from "../../schema/problem.ts";
import { checkTitle } from "./check.ts";

export function assertUsable(check: Check): void {
  if (!("file" in check)) return;
  const { matches, schema } = check;
  const { error } = attempt(() => [matches && new RegExp(matches, "mu"), schema && z.fromJSONSchema(schema)]);
  if (error) throw new Problem("invalid", `the check "${checkTitle(check)}" cannot be used: ${error.message}`);
}

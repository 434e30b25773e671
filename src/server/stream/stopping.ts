/** For whoever reads up to an event that is there: only a runtime that is stopped ends its streams before. */
import { Problem } from "../../schema/problem.ts";

export const stopping = (): Problem => new Problem("closed", "the daemon is stopping; retry when it is back");

/** For reads up to an existing event: only a stopped runtime ends its streams before that. */
import { Problem } from "../../schema/problem.ts";

export const stoppingProblem = (): Problem => new Problem("closed", "the daemon is stopping; retry when it is back");

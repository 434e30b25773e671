/** The errors that every store refuses with, worded the same. */
import { Problem } from "../schema/problem.ts";

/** `fence` is the lower one, which is refused. */
export function fencedProblem(agent: string, fence: number, highest: number): Problem {
  return new Problem(
    "fenced",
    `${agent} was opened with fence ${highest}, so fence ${fence} may not write; acquire the lease again`,
    { agent, fence, highest },
  );
}

export function ownedProblem(agent: string): Problem {
  return new Problem("name_taken", `an agent ${agent} already exists; open it, or choose another name`, { agent });
}

export function missing(agent: string): Problem {
  return new Problem("not_found", `there is no agent ${agent}; it must be created first`, { agent });
}

export function closedProblem(what: string): Problem {
  return new Problem("closed", `${what} is closed; open it again`);
}

export function outOfOrder(log: string, seq: number, due: number): Problem {
  return new Problem("conflict", `event ${seq} cannot be appended to ${log}: expected ${due}`, { seq, due });
}

export function aheadProblem(agent: string, seq: number, last: number): Problem {
  return new Problem("conflict", `a snapshot at ${seq} cannot be stored: the log of ${agent} ends at ${last}`, {
    seq,
    last,
  });
}

export function otherLog(log: string, seq: number, sum: string, found: string): Problem {
  return new Problem(
    "conflict",
    `a snapshot at ${seq} with checksum ${sum} cannot be stored: that event of ${log} has ${found}, so it belongs to another log`,
    { seq, sum, found },
  );
}

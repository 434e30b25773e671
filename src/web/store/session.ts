/**
 * How this window comes in: the code in its address is exchanged once for the token of a session, which is kept where only pages of this very origin,
 * port and all, can read it. So a reload and a second window are let in, and no cookie goes to anybody else on this host.
 */

import { type Client, createClient } from "../../client/index.ts";
import { showCommands } from "../../lib/command-line.ts";
import { Problem } from "../../schema/problem.ts";

export interface Entered {
  client: Client;
  /** Why nobody was let in. */
  problem?: Problem;
}

const place = "agiraph.session";

/** Of the newest session of this browser, whichever window opened it; where nothing can be kept, of this window's. */
let own: string | undefined;
function token(): string | undefined {
  try {
    return localStorage.getItem(place) ?? own;
  } catch {
    return own;
  }
}

function keep(given: string): void {
  own = given;
  try {
    localStorage.setItem(place, given);
  } catch {
    // a reload needs a new code
  }
}

export async function enter(): Promise<Entered> {
  const client = createClient({ url: "", token, wording: showCommands });
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  // Gone from the address before anything else, so that it is in no history and no picture of the screen.
  if (code) history.replaceState(null, "", location.pathname + location.search);
  try {
    const made = code ? await client.openSession({ body: { code } }).catch(() => undefined) : undefined;
    if (made) keep(made.token);
    else await client.getSession();
    return { client };
  } catch (error) {
    return { client, problem: error instanceof Problem ? error : new Problem("unreachable", String(error)) };
  }
}

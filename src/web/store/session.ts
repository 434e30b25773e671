/**
 * How this window comes in: the code in its address is exchanged once for the token of a session, which is kept where only pages of this very origin,
 * port and all, can read it. So a reload and a second window are let in, and no cookie goes to anybody else on this host.
 */

import { type Client, createClient } from "../../client/index.ts";
import { showCommands } from "../../lib/command-line.ts";
import { Problem } from "../../schema/problem.ts";
import { createKept, plainText } from "./persisted-state.ts";

export interface Entered {
  client: Client;
  /** Why nobody was let in. */
  problem?: Problem;
}

/** Of the newest session of this browser, whichever window opened it; where nothing can be stored, of this window's, and a reload needs a new code. */
const token = createKept("agiraph.session", plainText);

export async function enter(): Promise<Entered> {
  const client = createClient({ url: "", token: () => token.read() || undefined, wording: showCommands });
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  // Gone from the address before anything else, so that it is in no history and no picture of the screen.
  if (code) history.replaceState(null, "", location.pathname + location.search);
  try {
    const made = code ? await client.openSession({ body: { code } }).catch(() => undefined) : undefined;
    if (made) token.write(made.token);
    else await client.getSession();
    return { client };
  } catch (error) {
    return { client, problem: error instanceof Problem ? error : new Problem("unreachable", String(error)) };
  }
}

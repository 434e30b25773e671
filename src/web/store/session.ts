/** How this window comes in: the code in its address is exchanged for a session once, or the session that the browser has is asked for its word. */
import { type Client, createClient } from "../../client/index.ts";
import { Problem } from "../../schema/problem.ts";

export interface Entered {
  client: Client;
  /** Why nobody was let in. */
  problem?: Problem;
}

export async function enter(): Promise<Entered> {
  let csrf: string | undefined;
  const client = createClient({ url: "", csrf: () => csrf });
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  // Gone from the address before anything else, so that it is in no history and no picture of the screen.
  if (code) history.replaceState(null, "", location.pathname + location.search);
  try {
    const session = code
      ? await client.openSession({ body: { code } }).catch(() => client.getSession())
      : await client.getSession();
    csrf = session.csrf;
    return { client };
  } catch (error) {
    return { client, problem: error instanceof Problem ? error : new Problem("unreachable", String(error)) };
  }
}

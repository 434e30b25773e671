/** Login and sessions of browsers over HTTP. The secrets in these responses are sent once and stored nowhere, so the handlers are here. */
import type { sessionRoutes } from "../../api/session.ts";
import { Problem } from "../../schema/problem.ts";
import { json } from "../app.ts";
import type { Gate } from "../auth/gate.ts";
import type { Handlers } from "../handler.ts";

export const sessionHandlers = ({ gate }: { gate: Gate }): Handlers<typeof sessionRoutes> => ({
  createCode: async () => json(201, gate.code()),
  async openSession({ body: { code }, request }) {
    return json(201, gate.enter(code, request.headers));
  },
  async getSession({ request }) {
    const session = gate.session(request.headers);
    if (!session) throw new Problem("not_found", "requests with the daemon's token have no session and need none");
    return { expires_at: session.expires_at };
  },
  listSessions: async ({ request }) => ({ items: gate.windows(request.headers) }),
  async endSession({ params: { session } }) {
    await gate.shut(session);
    return new Response(null, { status: 204 });
  },
  async closeSession({ request }) {
    await gate.leave(request.headers);
    return new Response(null, { status: 204 });
  },
});

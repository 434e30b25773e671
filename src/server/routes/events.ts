/** Events over HTTP: a page, or an endless stream if the caller accepts one. */
import { createFilter, type eventRoutes } from "../../api/events.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertReady } from "../stream/all.ts";
import { allEventPage, eventPage } from "../stream/event-page.ts";
import { createOutlet } from "../stream/outlet.ts";
import { sse, wantsSse } from "../stream/sse.ts";

export const eventHandlers = (served: Served): Handlers<typeof eventRoutes> => ({
  async listEvents({ params: { agent }, query: { after: asked, types, limit }, request, signal, cut }) {
    const { feed, clock, runtime, heartbeatMs } = served;
    const after = await feed.seqOf(agent, request.headers.get("last-event-id") ?? asked);
    const wants = createFilter(types);
    if (!wantsSse(request)) return await eventPage({ runtime, agent, after, wants, limit, signal });
    const outlet = createOutlet({ form: "sse", wants, clock, heartbeatMs });
    outlet.begin(String(after));
    feed.serve(agent, after, outlet);
    return sse(outlet, cut);
  },
  async listAllEvents({ query: { after: asked, types, limit }, request, signal, cut }) {
    const { feed, clock, heartbeatMs, ready } = served;
    assertReady(ready());
    const place = await feed.all.find(request.headers.get("last-event-id") ?? asked);
    const wants = createFilter(types);
    if (!wantsSse(request)) return await allEventPage({ walk: feed.all.walk(place, signal), wants, limit });
    const outlet = createOutlet({ form: "sse-all", wants, clock, heartbeatMs });
    outlet.begin(place.text);
    feed.all.serve(place, outlet);
    return sse(outlet, cut);
  },
});

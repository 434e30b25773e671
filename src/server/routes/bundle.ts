/** Export and import of agents over HTTP. */
import { type bundleRoutes, bundleType } from "../../api/bundle.ts";
import { summaryOf } from "../../api/summary.ts";
import { Problem } from "../../schema/problem.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { createUpload } from "../upload.ts";
import { assertKnown } from "./agents.ts";

export const bundleHandlers = ({ runtime, clock }: Served): Handlers<typeof bundleRoutes> => ({
  async exportAgent({ params: { agent } }) {
    assertKnown(runtime, agent);
    const headers = {
      "content-type": bundleType,
      "content-disposition": `attachment; filename="${agent}.agiraph"`,
      "cache-control": "no-store",
    };
    return new Response(await runtime.pack(agent), { headers });
  },
  async importAgent({ request }) {
    const upload = request.body && createUpload(request.body, clock);
    try {
      if (!upload || request.headers.get("content-type") !== bundleType)
        throw new Problem(
          "invalid",
          `the body is not an exported agent; send the file with content type ${bundleType}`,
        );
      const { agent, brings } = await runtime.unpack(upload.stream);
      return { ...(await runtime.read(agent, summaryOf)), brings };
    } finally {
      await upload?.rest();
    }
  },
});

/** Templates of souls over HTTP. */
import type { soulTemplateRoutes } from "../../api/souls.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";

export const soulTemplateHandlers = ({ souls }: Pick<Served, "souls">): Handlers<typeof soulTemplateRoutes> => ({
  async listSouls() {
    return { items: (await souls?.list()) ?? [] };
  },
});

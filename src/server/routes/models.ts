/** The available models over HTTP. */
import type { modelRoutes } from "../../api/models.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";

const none = {
  model: null,
  why: "",
  models: [],
  budget: {},
  providers: [],
  ollama: null,
  programs: [],
  demo: null,
};

export const modelHandlers = ({ offer }: Served): Handlers<typeof modelRoutes> => ({
  listModels: async () => (await offer?.()) ?? none,
});

/** Folders of this machine over HTTP. */
import type { folderRoutes } from "../../api/folders.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";

export const folderHandlers = ({ lookAtFolder }: Pick<Served, "lookAtFolder">): Handlers<typeof folderRoutes> => ({
  lookAtFolder: async ({ query: { path } }) =>
    (await lookAtFolder?.(path)) ?? { path, problem: "this daemon does not list folders", repository: null, items: [] },
});

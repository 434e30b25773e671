/** `node --import` this, and "agiraph" is this repository as it would be published, as it is for whoever has installed it. */
import { enableCompileCache, registerHooks } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { library } from "./built.ts";

enableCompileCache(join(dirname(library), "../node_modules/.cache/agiraph"));
const url = pathToFileURL(library).href;
registerHooks({
  resolve: (name, context, next) => (name === "agiraph" ? { url, shortCircuit: true } : next(name, context)),
});

/** `node --import` this, and "agiraph" is this repository, as it is for whoever has installed it. */
import { registerHooks } from "node:module";

const url = new URL("../src/index.ts", import.meta.url).href;
registerHooks({
  resolve: (name, context, next) => (name === "agiraph" ? { url, shortCircuit: true } : next(name, context)),
});

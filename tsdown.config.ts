import { defineConfig } from "tsdown";

/** The published program: src/main.ts and the library src/index.ts and the client src/client/index.ts in dist/, with the threads that are started; beside which bin/ and examples/ lie as they do here. Dependencies stay outside. */
export default defineConfig({
  entry: {
    main: "src/main.ts",
    index: "src/index.ts",
    client: "src/client/index.ts",
    "page-thread": "src/toolkit/web/page-thread.ts",
    "inspect-thread": "src/runtime/check/inspect-thread.ts",
    "watchdog-thread": "src/main/daemon/watchdog-thread.ts",
    "offline-model": "src/lib/machine/offline-model.ts",
  },
  platform: "node",
  target: "node24",
  format: "esm",
  dts: false,
  clean: true,
});

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The page for people: src/web into dist/web, which the daemon serves under /app. No inline script or style, so that a strict policy holds. */
export default defineConfig({
  root: "src/web",
  base: "/app/",
  plugins: [react()],
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    // jitless.ts is the first module of the page: it must also run first when modules are shared between chunks.
    rolldownOptions: { output: { strictExecutionOrder: true } },
    assetsInlineLimit: 0,
    target: "es2023",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
  },
});

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { pageDeclarations } from "./scripts/page-declarations.ts";

/** The page for people: src/web into dist/web, which the daemon serves under /app. No inline script or style, so that a strict policy holds. */
export default defineConfig({
  root: "src/web",
  base: "/app/",
  plugins: [react(), pageDeclarations()],
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: "es2023",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
  },
});

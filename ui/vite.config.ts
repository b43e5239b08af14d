import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "vite";
import { mockApi } from "./mock/plugin.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// The strict content security policy of the daemon forbids inline scripts and styles and data URLs: nothing is inlined.
const config: UserConfig = defineConfig({
  root: here("."),
  publicDir: here("./public"),
  plugins: [mockApi()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: here("../dist/ui"),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2022",
    reportCompressedSize: false,
  },
});

export default config;

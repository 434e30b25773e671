/** Dark or light: as chosen here, or what the system says (public/theme.js, which reads the same place before anything is drawn). */
import { createKept } from "./persisted-state.ts";

export type Theme = "light" | "dark" | "system";

export const chosenTheme = createKept<Theme>("agiraph.theme", {
  parse: (text) => (text === "light" || text === "dark" ? text : "system"),
  format: (theme) => theme,
});

export function setTheme(theme: Theme): void {
  chosenTheme.write(theme === "system" ? undefined : theme);
  const isDark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}

export const toggleTheme = (): void => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");

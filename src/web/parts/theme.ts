/** Dark or light, as chosen here; what the system says until then (public/theme.js). */
export function toggleTheme(): void {
  const root = document.documentElement;
  const next = root.dataset.theme === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  localStorage.setItem("agiraph.theme", next);
}

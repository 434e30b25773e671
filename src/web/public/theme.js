// Our policy allows no code made from text, so zod must not even try. Said here because it must come before the first schema, in whichever file that is.
globalThis.__zod_globalConfig = { jitless: true };
// Before anything is drawn, so that a dark room stays dark. The choice is kept by parts/theme.ts.
const kept = localStorage.getItem("agiraph.theme");
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.dataset.theme = kept === "dark" || kept === "light" ? kept : dark ? "dark" : "light";

/** Colours for code. Loaded when the first code is shown; each language when it is first met. Without WebAssembly, which our policy forbids. */
import type { CSSProperties } from "react";
import { createHighlighterCore, type GrammarState, type HighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

export interface Token {
  text: string;
  style: CSSProperties;
}

const languages: Record<string, () => Promise<{ default: unknown }>> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};
const also: Record<string, string> = {
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  h: "c",
  cpp: "c",
  js: "javascript",
  mjs: "javascript",
  jsx: "tsx",
  ts: "typescript",
  py: "python",
  rs: "rust",
  md: "markdown",
  yml: "yaml",
  patch: "diff",
  svg: "xml",
  htm: "html",
};

let made: Promise<HighlighterCore> | undefined;

/** Undefined if nobody knows the language. Takes the ending of a file's name as well. */
export const highlight = async (text: string, given: string): Promise<Token[][] | undefined> =>
  (await highlightFrom(text, given))?.lines;

/** The same for a text in several pieces: `from` is where the piece before it ended. */
export async function highlightFrom(
  text: string,
  given: string,
  from?: GrammarState,
): Promise<{ lines: Token[][]; end: GrammarState | undefined } | undefined> {
  const name = also[given.toLowerCase()] ?? given.toLowerCase();
  if (!Object.hasOwn(languages, name)) return undefined;
  made ??= createHighlighterCore({
    themes: [import("shiki/themes/github-light.mjs"), import("shiki/themes/github-dark.mjs")],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await made;
  if (!highlighter.getLoadedLanguages().includes(name)) await highlighter.loadLanguage(languages[name]!() as never);
  const themes = { light: "github-light", dark: "github-dark" };
  const { tokens, grammarState } = highlighter.codeToTokens(text, {
    // Without a limit of time: where it was reached, all that follows would be coloured as if it were inside of what was begun.
    ...{ lang: name, themes, defaultColor: false, tokenizeMaxLineLength: longestLine, tokenizeTimeLimit: 0 },
    ...(from ? { grammarState: from } : {}),
  });
  const lines = tokens.map((line) =>
    line.map(({ content, htmlStyle }) => ({ text: content, style: htmlStyle as CSSProperties })),
  );
  return { lines, end: grammarState };
}

/** A longer one, as of a file that a program wrote, stays plain. */
const longestLine = 5_000;

/** Patterns that would take long on a long text and never see one, or cannot: each with how long its texts are, or why nothing is tried twice. */
export interface Known {
  path: string;
  pattern: string;
  why: string;
}

const always = "what follows the repetition matches whatever is left, so nothing is tried a second time";
const config = "the user's own config or command line";

// biome-ignore format: a table
export const known: readonly Known[] = [
  { path: "backend/models.ts", pattern: "/:.*$/", why: "the name of a model, at most 200 characters" },
  { path: "backend/providers.ts", pattern: "/\\/+$/", why: config },
  { path: "channel/post.ts", pattern: "/#.*$/s", why: always },
  { path: "cli/run/run.ts", pattern: "/^(q\\d+)[\\s:,]+(.*)$/is", why: always },
  { path: "cli/terminal/words.ts", pattern: "/\\B(?=(\\d{3})+$)/g", why: "the digits of one number" },
  { path: "core/message/mention.ts", pattern: "/(?:^|[\\n.,;:!?)\\]—–])[\\s>*_\"'([-]*$/", why: "the 40 characters before a name" },
  { path: "core/team/names.ts", pattern: "/^-+|-+$/g", why: "a name that was cut to at most 64 characters" },
  { path: "core/human/question.ts", pattern: "/^\\s*(?:(allow|yes|y|ok)|(deny|no|n))\\b[\\s,:.]*(.*)$/is", why: always },
  { path: "lib/network/target.ts", pattern: "/\\.+$/", why: "the host of an address of at most 4,000 characters" },
  { path: "lib/network/target.ts", pattern: "/\\?.*$/s", why: always },
  { path: "main/home/environment.ts", pattern: "/^\\s*(\\$)?\\s*(\\d+(?:\\.\\d+)?)\\s*(usd|tokens|turns|seconds)?\\s*$/i", why: config },
  { path: "main/actions/git-source.ts", pattern: "/\\/+$/", why: config },
  { path: "toolkit/web/charset.ts", pattern: "/<meta[^>]{0,200}charset\\s*=\\s*[\"']?\\s*([\\w.:-]+)/i", why: "the first 1,024 bytes of a page" },
  { path: "toolkit/keep-learned.ts", pattern: "/\\s*\\n\\s*/g", why: "at most 2,000 characters" },
  { path: "toolkit/todo-list.ts", pattern: "/^(\\s*[-*+]\\s+\\[)([ xX])(\\]\\s+)(.*)$/s", why: always },
  { path: "toolkit/walk.ts", pattern: "/\\/+$/", why: "a path of at most 300 characters" },
  { path: "tool/web-search.ts", pattern: "/\\/+$/", why: config },
  { path: "web/new/folder.tsx", pattern: "/(.)\\/+$/", why: "a path that the user types" },
  { path: "web/new/folder.tsx", pattern: "/\\/+$/", why: "a path that the user types" },
  { path: "web/new/says.ts", pattern: "/(.)\\/+$/", why: "a path that the user types" },
  { path: "web/settings/browser-words.ts", pattern: "/\\bVersion\\/(\\d+)[\\d.]* (?:Mobile\\/\\S+ )?Safari\\//", why: "the beginning of what a browser says it is, at most 200 characters" },
];

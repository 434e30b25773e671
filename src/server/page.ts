/**
 * The web page: built files that are the same for everyone, so they need no token; Host and Origin are checked all the same. Files with a hash in
 * their name are cached for good; all others are revalidated each time.
 *
 * Content security policy: our own scripts and styles, requests to us, and nothing else: no inline script, no other site, no framing.
 */
import { shellLine } from "../lib/command-line.ts";
import { Problem } from "../schema/problem.ts";

type Read = (path: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;

const types: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  woff2: "font/woff2",
  json: "application/json; charset=utf-8",
};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "frame-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** `isHere`: a caller on this machine is told how the program is started here; to others that would reveal a path. */
export async function servePage(read: Read | undefined, path: string, isHere: boolean): Promise<Response> {
  const [, ending] = /^[\w/-][\w./-]*\.(\w+)$/.exec(path) ?? [];
  const safe = ending !== undefined && !path.includes("..") && Object.hasOwn(types, ending);
  const file = safe ? await read?.(path) : undefined;
  if (file) {
    const cache = path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    return new Response(file, { headers: { ...headers, "content-type": types[ending!]!, "cache-control": cache } });
  }
  // A file of an older build, for instance: serving the page instead would only fail later and more strangely.
  if (path.startsWith("assets/")) throw new Problem("not_found", `the page has no file ${path}; reload it`);
  const built = await read?.("index.html");
  const page = built ? withProgram(new TextDecoder().decode(built), isHere) : missing(isHere);
  return new Response(page, { headers: { ...headers, "content-type": types.html!, "cache-control": "no-cache" } });
}

const headers = { "content-security-policy": policy, "cross-origin-opener-policy": "same-origin" };

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => escapes[sign]!);

const withProgram = (page: string, isHere: boolean): string =>
  isHere
    ? page.replace(
        'name="agiraph-program" content="agiraph"',
        () => `name="agiraph-program" content="${escaped(shellLine())}"`,
      )
    : page;

const missing = (isHere: boolean) => {
  const code = (line: string) => `<code>${escaped(isHere ? line : line.replace(shellLine(), "agiraph"))}</code>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Agiraph</title>
<h1>Agiraph is running</h1>
<p>The web page has not been built; run <code>npm run build</code>. Until then: ${code(shellLine("status"))}, ${code(shellLine("inbox"))},
${code(shellLine('run "…"'))} in a terminal, and everything over HTTP: <a href="/docs">what can be asked</a>.</p>
</html>
`;
};

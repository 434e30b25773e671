/**
 * The page for people: files that were built with the program and are the same for everyone, so they need no token; Host and Origin are
 * looked at all the same. What has its own print in its name is kept by browsers for good; everything else is asked for each time.
 *
 * The page may run our own scripts and styles, speak with us, and nothing else: no inline script, no other site, no frame around it.
 */
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

export async function servePage(read: Read | undefined, path: string): Promise<Response> {
  const [, ending] = /^[\w/-][\w./-]*\.(\w+)$/.exec(path) ?? [];
  const safe = ending !== undefined && !path.includes("..") && Object.hasOwn(types, ending);
  const file = safe ? await read?.(path) : undefined;
  if (file) {
    const cache = path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    return new Response(file, { headers: { ...headers, "content-type": types[ending!]!, "cache-control": cache } });
  }
  // A file of an older build, say: the page in its place would only fail later and stranger.
  if (path.startsWith("assets/")) throw new Problem("not_found", `the page has no file ${path}; reload it`);
  const page = (await read?.("index.html")) ?? missing;
  return new Response(page, { headers: { ...headers, "content-type": types.html!, "cache-control": "no-cache" } });
}

const headers = { "content-security-policy": policy, "cross-origin-opener-policy": "same-origin" };

const missing = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Agiraph</title>
<h1>Agiraph is running</h1>
<p>The page for people was not built: <code>npm run build</code> does that. Until then: <code>agiraph status</code>, <code>agiraph inbox</code>,
<code>agiraph run "…"</code> in a terminal, and everything over HTTP: <a href="/docs">what can be asked</a>.</p>
</html>
`;

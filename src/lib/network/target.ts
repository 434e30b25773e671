/**
 * Which URLs are allowed before their host is resolved, and which headers may follow a redirect.
 *
 * Always holds: http or https, no credentials in it, one of the usual ports. Host and port are spelled as the connection will use them: the URL
 * standard has already turned 0x7f.1, 2130706433 and ①②⑦.0.0.1 into 127.0.0.1. Not here: addresses (address.ts).
 */

import { shorten } from "../text/text.ts";
import { familyOf } from "./address.ts";
import { NetworkError } from "./network-error.ts";

/** Ports of web servers. Others (mail, databases, consoles) are reached only if the config names them. */
const ports = [80, 443, 8000, 8008, 8080, 8443, 8888];

export interface Target {
  url: URL;
  /** Without brackets and the trailing dot. */
  host: string;
  /** The host is already an address. */
  literal: boolean;
  /** Named in `allow_private`: its address is not checked. */
  allowed: boolean;
}

export function parseTarget(text: string, allowPrivate: readonly string[] = []): Target {
  const url = parse(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new NetworkError("invalid", `${short(text)} is not a web address; only http:// and https:// are supported`);
  if (url.username || url.password)
    throw new NetworkError("forbidden", `the URL of ${nameOf(url)} contains a user name or password; remove it`);
  if (/\.$/.test(url.hostname)) url.hostname = url.hostname.replace(/\.+$/, "");
  url.hash = "";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const allowed = allowPrivate.some((entry) => sameHost(entry, url));
  if (!allowed && !ports.includes(portOf(url)))
    throw new NetworkError(
      "forbidden",
      `${nameOf(url)} is on port ${portOf(url)}; allowed ports: ${ports.join(", ")}, and others only if web.allow_private in the config lists ${hostAndPort(url)}`,
    );
  if (!allowed && /(^|\.)localhost$/.test(host)) throw notPublic(url, "this machine");
  return { url, host, literal: familyOf(host) !== 0, allowed };
}

export const notPublic = (url: URL, what: string): NetworkError =>
  new NetworkError(
    "forbidden",
    `${nameOf(url)} resolves to ${what}; only public addresses are allowed, and private ones only if web.allow_private in the config lists ${hostAndPort(url)}`,
  );

/** The URL for display: without credentials, query and fragment, where secrets are. */
export function nameOf(url: URL): string {
  const { origin, pathname, search } = url;
  return `${short(`${origin}${pathname}`)}${search ? "?…" : ""}`;
}

/** Headers that may be sent to another origin; all others may be credentials. */
const harmless = ["accept", "accept-language", "content-type", "user-agent"];

export const withoutSecrets = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => harmless.includes(name.toLowerCase())));

function parse(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new NetworkError("invalid", `${short(text)} is not a URL; give a full one such as https://example.com/page`);
  }
}

const portOf = (url: URL): number => Number(url.port || (url.protocol === "https:" ? 443 : 80));

const hostAndPort = (url: URL): string => `${url.hostname}:${portOf(url)}`;

function sameHost(entry: string, url: URL): boolean {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(entry.trim()) ?? [];
  if (!host || !URL.canParse(`http://${host}`)) return false;
  return new URL(`http://${host}`).hostname.replace(/\.+$/, "") === url.hostname && Number(port) === portOf(url);
}

/** A given URL may be anything, and long; its query is not repeated. */
function short(text: string): string {
  const plain = text
    .replace(/\?.*$/s, "?…")
    .replace(/\/\/[^/@]*@/, "//")
    .replace(/\p{C}/gu, "");
  return shorten(plain, 200);
}

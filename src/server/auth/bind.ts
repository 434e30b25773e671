/**
 * Where the daemon may listen: on loopback, or elsewhere if the operator confirmed it twice: that others may reach it, and what protects the
 * connection (our own TLS, or a TLS-terminating proxy). Nothing is guessed from the address alone.
 */
import { Problem } from "../../schema/problem.ts";

export interface Bind {
  host: string;
  /** The operator confirmed that others may reach it. */
  exposed?: boolean;
  /** It terminates TLS itself. */
  tls?: boolean;
  /** The https origin of a proxy in front of it. */
  proxy?: string;
}

/** Throws `invalid` with what is missing. */
export function assertBind({ host, exposed = false, tls = false, proxy }: Bind): void {
  if (proxy !== undefined && !isOrigin(proxy))
    throw new Problem(
      "invalid",
      `the proxy ${JSON.stringify(proxy)} is not an https origin; use https://host or https://host:port`,
    );
  if (isLoopback(host)) return;
  if (!exposed)
    throw new Problem(
      "invalid",
      `${host} can be reached from other machines; add --expose to allow that, or listen on 127.0.0.1`,
    );
  if (!tls && proxy === undefined)
    throw new Problem(
      "invalid",
      `${host} can be reached from other machines, and the token would be sent unencrypted; set up TLS, or name a TLS-terminating proxy`,
    );
}

/** Only addresses that always mean this machine: a name other than localhost may resolve to anything. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" ||
  host === "::1" ||
  host === "[::1]" ||
  /^127(\.(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}$/.test(host);

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.origin === text;
}

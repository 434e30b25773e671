/**
 * A second door, for others than this machine: only if the operator said so, and only with TLS of our own or a proxy that has it (server/auth/bind.ts).
 * The door on loopback stays as it is.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import { createServer as createHttp } from "../../lib/machine/http.ts";
import { Problem } from "../../schema/problem.ts";
import { assertBind } from "../../server/auth/bind.ts";
import { httpLimits, serverLimits } from "../../server/limits.ts";

export interface OutsideOptions {
  /** `0.0.0.0:8443` */
  listen?: string;
  expose?: boolean;
  tlsCert?: string;
  tlsKey?: string;
  /** `https://agiraph.example.com` */
  proxy?: string;
  /** Names it is reached by; the address itself if missing. */
  as?: string[];
}

export interface Outside {
  /** As they stand in the Host header. */
  hosts: string[];
  /** Those of them that people reach by TLS, ours or a proxy's. */
  secure: string[];
  url: string;
  server: Server | undefined;
}

/** Undefined if nobody outside is meant. Throws `invalid` and says what is missing. */
export function planOutside({ listen, expose, tlsCert, tlsKey, proxy, as = [] }: OutsideOptions):
  | {
      host: string;
      port: number;
      hosts: string[];
      behind: string[];
      secure: boolean;
      tlsCert?: string;
      tlsKey?: string;
    }
  | { hosts: string[] }
  | undefined {
  const behind = proxy === undefined ? [] : [proxy.replace(/^https:\/\//, "").toLowerCase()];
  if (listen === undefined) {
    if (expose || tlsCert || tlsKey || as.length)
      throw new Problem("invalid", "--expose needs an address: --listen HOST:PORT");
    if (proxy === undefined) return undefined;
    assertBind({ host: "127.0.0.1", proxy });
    return { hosts: behind };
  }
  const [, host = "", digits = ""] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(listen) ?? [];
  const port = Number(digits);
  if (!host || port > 65_535)
    throw new Problem("invalid", `--listen ${listen}: expected HOST:PORT, such as 0.0.0.0:8443`);
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new Problem("invalid", "TLS needs both --tls-cert FILE and --tls-key FILE");
  const secure = tlsCert !== undefined;
  assertBind({ host, exposed: expose === true, tls: secure, ...(proxy === undefined ? {} : { proxy }) });
  const named = as.length ? as : /^(0\.0\.0\.0|::)$/.test(host) ? [] : [host];
  if (named.length === 0 && behind.length === 0)
    throw new Problem(
      "invalid",
      `give the Host names that clients use for ${host} with --as NAME; all others are refused`,
    );
  const hosts = [...behind, ...named.flatMap((name) => [`${name}:${port}`, ...(port === 443 ? [name] : [])])];
  return {
    host,
    port,
    hosts: hosts.map((one) => one.toLowerCase()),
    behind,
    secure,
    ...(secure ? { tlsCert: tlsCert!, tlsKey: tlsKey! } : {}),
  };
}

type Take = (request: IncomingMessage, response: ServerResponse) => void;

export async function openOutside(plan: NonNullable<ReturnType<typeof planOutside>>, take: Take): Promise<Outside> {
  if (!("port" in plan))
    return { hosts: plan.hosts, secure: plan.hosts, url: `https://${plan.hosts[0]}`, server: undefined };
  const { host, port, secure, tlsCert, tlsKey, hosts, behind } = plan;
  const made = secure
    ? createHttps({ ...httpLimits, handshakeTimeout: 10_000, cert: read(tlsCert!), key: read(tlsKey!) }, take)
    : createHttp(httpLimits, take);
  const server = Object.assign(made, serverLimits) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new Problem("unreachable", `cannot listen on ${host}:${port}: ${error.message}`)),
    );
    server.listen(port, host, resolve);
  });
  return { hosts, secure: secure ? hosts : behind, url: `${secure ? "https" : "http"}://${hosts[0]}`, server };
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Problem("invalid", `${path} cannot be read: ${(error as Error).message}`);
  }
}

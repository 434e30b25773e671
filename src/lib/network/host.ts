/** Names of hosts, as commands in a sandbox ask for them: in one spelling, by pattern, and which can never be reached. */
import { familyOf, isPublic } from "./address.ts";

/** In lower case and without the dot at its end. */
export const normalHost = (host: string): string => host.toLowerCase().replace(/\.$/, "");

/** Whether a host is meant by `example.com` or `*.example.com`. The latter does not mean `example.com` itself. */
export function hostFits(host: string, pattern: string): boolean {
  const [name, wanted] = [normalHost(host), normalHost(pattern)];
  return wanted.startsWith("*.") ? name.endsWith(wanted.slice(1)) : name === wanted;
}

const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const name = new RegExp(`^(?=.{1,253}$)(?:${label}\\.)+${label}$`);
const inside = /(^|\.)(localhost|local|internal|lan|home\.arpa|localdomain)$/;

/** Why no permission would help to reach it; undefined if one might. Looks at the name only: nothing is resolved. */
export function unreachable(host: string): string | undefined {
  const given = normalHost(host);
  if (familyOf(given)) return isPublic(given) ? undefined : `${given} is not a public address`;
  if (!name.test(given)) return `${JSON.stringify(given.slice(0, 100))} is not the name of a public host`;
  return inside.test(given) ? `${given} is a name of a private network` : undefined;
}

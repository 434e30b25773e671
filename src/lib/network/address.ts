/**
 * Which IP addresses are on the public internet (against SSRF).
 *
 * Covered: everything that is not global unicast, so loopback, private, link-local (cloud metadata), carrier NAT, multicast, documentation and
 * reserved ranges, and every IPv6 form that carries an IPv4 address inside (mapped, compatible, 6to4, Teredo, NAT64).
 * Not covered: a provider's own NAT64 prefix, and private machines that have public addresses.
 */
import ipaddr from "ipaddr.js";

/** 4 or 6, or 0 if it is not an address. */
export function familyOf(host: string): 0 | 4 | 6 {
  // A resolver never returns other spellings (0x7f.1, 017700000001), and URLs are normalised.
  return ipaddr.IPv4.isValidFourPartDecimal(host) ? 4 : ipaddr.IPv6.isValid(host) ? 6 : 0;
}

/** False also for anything that is not an address. */
export function isPublic(address: string): boolean {
  if (familyOf(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  if (parsed.kind() === "ipv4") return true;
  const { parts, zoneId } = parsed as ipaddr.IPv6;
  return zoneId === undefined && (parts[0]! & 0xe000) === 0x2000; // all there is of global unicast lies in 2000::/3
}

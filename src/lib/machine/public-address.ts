/** Which addresses are the public internet's. What is not known to be public is not. */
import { BlockList, isIP } from "node:net";

const notPublic = new BlockList();
for (const range of [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
])
  add(range, "ipv4");
// Of IPv6 only what is global unicast, without documentation and without what wraps an IPv4 address.
for (const range of ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]) add(range, "ipv6");
const global = new BlockList();
global.addSubnet("2000::", 3, "ipv6");

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !notPublic.check(address, "ipv4");
  return isIP(address) === 6 && global.check(address, "ipv6") && !notPublic.check(address, "ipv6");
}

function add(range: string, family: "ipv4" | "ipv6"): void {
  const [network, bits] = range.split("/");
  notPublic.addSubnet(network!, Number(bits), family);
}
